// Two things keep a block short, since the kernel translates each instruction at every start: an
// argument that is still in the accumulator is not loaded again, and a row of "is not X" tests
// becomes one walk over sorted ranges.
#include "seccomp/arg_block.hpp"

#include <linux/seccomp.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace sbx::seccomp {
namespace {

using Label = ProgramWriter::Label;

bool is_masked(const ArgTest& test) {
  return test.op == Compare::masked_equal || test.op == Compare::masked_not_equal;
}
bool wants_equal(const ArgTest& test) {
  return test.op == Compare::equal || test.op == Compare::masked_equal;
}
/// "has none / any of these bits" is one instruction that leaves the accumulator alone.
bool is_bit_test(const ArgTest& test) { return is_masked(test) && test.value == 0; }

bool is_exclusion(const ArgTest& test) { return test.low32 && test.op == Compare::not_equal; }

/// One test, or a row of exclusions of the same argument.
struct Piece {
  std::span<const ArgTest> tests;
  bool load = true;  ///< false: the argument's low half is in the accumulator already
  [[nodiscard]] const ArgTest& first() const { return tests.front(); }
  [[nodiscard]] bool keeps_accumulator() const {
    return first().low32 && (!is_masked(first()) || is_bit_test(first()));
  }
};
using Pieces = std::vector<Piece>;

Pieces split_tests(std::span<const ArgTest> tests) {
  Pieces pieces;
  for (std::size_t i = 0; i < tests.size();) {
    std::size_t end = i + 1;
    while (is_exclusion(tests[i]) && end < tests.size() && is_exclusion(tests[end]) &&
           tests[end].index == tests[i].index) {
      ++end;
    }
    pieces.push_back({tests.subspan(i, end - i)});
    i = end;
  }
  return pieces;
}

/// Goes through the rules as the program will, and leaves out loads of what is loaded. A rule may
/// be left at any of its pieces, so what the next rule can rely on is what all of them agree on.
std::vector<Pieces> plan_loads(std::span<const Rule* const> rules) {
  std::vector<Pieces> plan;
  std::optional<unsigned> loaded;
  for (const Rule* rule : rules) {
    Pieces pieces = split_tests(rule->tests);
    std::optional<std::optional<unsigned>> agreed;
    for (Piece& piece : pieces) {
      piece.load = !piece.first().low32 || loaded != piece.first().index;
      loaded = piece.keeps_accumulator() ? std::optional(piece.first().index) : std::nullopt;
      if (!agreed) agreed = loaded;
      if (*agreed != loaded) agreed = std::optional<unsigned>{};
    }
    if (agreed) loaded = *agreed;
    plan.push_back(std::move(pieces));
  }
  return plan;
}

/// Offset of a 32-bit half of an argument in seccomp_data; little-endian, as x86_64 is.
std::size_t half_offset(unsigned index, bool high) {
  return offsetof(seccomp_data, args) + index * sizeof(std::uint64_t) +
         (high ? sizeof(std::uint32_t) : 0);
}

/// One half of the argument, masked where the test says so, equals that half of the value.
void write_half(ProgramWriter& out, const ArgTest& test, bool high, bool load, Label yes,
                Label no) {
  const unsigned shift = high ? 32 : 0;
  const auto value = static_cast<std::uint32_t>(test.value >> shift);
  const auto mask = static_cast<std::uint32_t>(test.mask >> shift);
  if (is_masked(test) && value == 0) {
    out.jump(BPF_JSET, mask, no, yes);
  } else {
    out.jump(BPF_JEQ, value, yes, no);
    if (is_masked(test)) out.mask(mask);
  }
  if (load) out.load(half_offset(test.index, high));
}

/// Goes to `yes` when the argument is none of the values, else to `no`.
void write_exclusions(ProgramWriter& out, const Piece& piece, Label yes, Label no) {
  std::vector<std::uint32_t> values;
  for (const ArgTest& test : piece.tests) values.push_back(static_cast<std::uint32_t>(test.value));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  Label larger = yes;  // where an argument above the present range goes on
  for (std::size_t last = values.size(); last-- > 0;) {
    std::size_t first = last;
    while (first > 0 && values[first] - values[first - 1] == 1) --first;
    if (first == last) {
      out.jump(BPF_JEQ, values[last], no, larger);
    } else {
      out.jump(BPF_JGE, values[first], no, yes);
      out.jump(BPF_JGT, values[last], larger, out.here());
    }
    larger = out.here();
    last = first;
  }
  if (piece.load) out.load(half_offset(piece.first().index, false));
}

/// Goes to `yes` when the piece holds, else to `no`.
void write_piece(ProgramWriter& out, const Piece& piece, Label yes, Label no) {
  const ArgTest& test = piece.first();
  if (is_exclusion(test)) return write_exclusions(out, piece, yes, no);
  const Label same = wants_equal(test) ? yes : no;
  const Label different = wants_equal(test) ? no : yes;
  if (test.low32) return write_half(out, test, false, piece.load, same, different);
  write_half(out, test, true, true, same, different);
  const Label high_half = out.here();
  write_half(out, test, false, true, high_half, different);
}

}  // namespace

std::uint32_t return_value(const Action& action) {
  switch (action.kind) {
    case ActionKind::allow:
      return SECCOMP_RET_ALLOW;
    case ActionKind::fail:
      return SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(action.error) & SECCOMP_RET_DATA);
    case ActionKind::kill:
      return SECCOMP_RET_KILL_PROCESS;
    case ActionKind::log:
      return SECCOMP_RET_LOG;
  }
  return SECCOMP_RET_KILL_PROCESS;
}

Label write_rules(ProgramWriter& out, std::span<const Rule* const> rules, const Action& otherwise) {
  const std::vector<Pieces> plan = plan_loads(rules);
  Label next = out.returns(return_value(otherwise));
  for (std::size_t i = rules.size(); i-- > 0;) {
    Label yes = out.returns(return_value(rules[i]->action));
    for (std::size_t j = plan[i].size(); j-- > 0;) {
      write_piece(out, plan[i][j], yes, next);
      yes = out.here();
    }
    next = yes;
  }
  return next;
}

}  // namespace sbx::seccomp
