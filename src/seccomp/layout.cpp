// Written back to front (program_writer.hpp): argument rules, search tree, head.
#include "seccomp/layout.hpp"

#include <linux/seccomp.h>

#include <cstddef>
#include <span>
#include <utility>

#include "base/machine.hpp"
#include "seccomp/arg_block.hpp"
#include "seccomp/calls.hpp"
#include "seccomp/grouped.hpp"
#include "seccomp/program_writer.hpp"

namespace sbx::seccomp {
namespace {

using Label = ProgramWriter::Label;

/// Where the search ends for a range of numbers: at a constant return, or at a call's rules.
struct Answer {
  bool constant = true;
  std::uint64_t what = 0;  ///< return value, or Label
  bool operator==(const Answer&) const = default;
};

/// Numbers from `first` up to the next range's.
struct Range {
  unsigned first = 0;
  Answer answer;
};

bool same_rules(const CallRules& a, const CallRules& b) {
  if (a.rules.size() != b.rules.size()) return false;
  for (std::size_t i = 0; i < a.rules.size(); ++i) {
    if (a.rules[i]->action != b.rules[i]->action || a.rules[i]->tests != b.rules[i]->tests)
      return false;
  }
  return true;
}

/// Writes the rules of the calls that have argument tests; calls with equal rules (chmod and
/// fchmod) share them. One answer for each of `calls`.
std::vector<Answer> write_answers(ProgramWriter& out, std::span<const CallRules> calls,
                                  const Action& otherwise) {
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].plain()) {
      answers.push_back({true, return_value(calls[i].rules.front()->action)});
      continue;
    }
    std::size_t twin = 0;
    while (!same_rules(calls[twin], calls[i])) ++twin;
    answers.push_back(twin < i ? answers[twin]
                               : Answer{false, write_rules(out, calls[i].rules, otherwise)});
  }
  return answers;
}

/// Every number from 0 to the largest possible: gaps and what lies behind get the default.
std::vector<Range> make_ranges(std::span<const CallRules> calls, std::span<const Answer> answers,
                               const Action& otherwise) {
  const Answer unknown{true, return_value(otherwise)};
  std::vector<Range> ranges;
  const auto add = [&ranges](unsigned first, const Answer& answer) {
    if (ranges.empty() || ranges.back().answer != answer) ranges.push_back({first, answer});
  };
  unsigned next = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].number > next) add(next, unknown);
    add(calls[i].number, answers[i]);
    next = calls[i].number + 1;
  }
  add(next, unknown);
  return ranges;
}

Label write_tree(ProgramWriter& out, std::span<const Range> ranges) {
  if (ranges.size() == 1) {
    const Answer& answer = ranges.front().answer;
    return answer.constant ? out.returns(static_cast<std::uint32_t>(answer.what)) : answer.what;
  }
  const std::size_t middle = ranges.size() / 2;
  const Label upper = write_tree(out, ranges.subspan(middle));
  const Label lower = write_tree(out, ranges.first(middle));
  out.jump(BPF_JGE, ranges[middle].first, upper, lower);
  return out.here();
}

/// Kills what uses another table: first the 32-bit one, then on x86_64 x32. Number -1 is no call: a
/// tracer writes it to skip one, and it falls to the default.
void write_head(ProgramWriter& out, Label tree) {
  const Label kill = out.returns(SECCOMP_RET_KILL_PROCESS);
  if (kMachine == Machine::x86_64) {
    out.jump(BPF_JEQ, 0xffffffff, tree, kill);
    const Label foreign = out.here();
    out.jump(BPF_JGE, kX32Bit, foreign, tree);
  } else {
    out.jump(BPF_JGE, 0, tree, tree);
  }
  out.load(offsetof(seccomp_data, nr));
  const Label native = out.here();
  out.jump(BPF_JEQ, kOwnArchitecture, native, kill);
  out.load(offsetof(seccomp_data, arch));
}

}  // namespace

Result<std::vector<sock_filter>> layout(const Policy& policy) {
  const std::vector<CallRules> calls = SBX_TRY(group_by_call(policy));
  ProgramWriter out;
  const std::vector<Answer> answers = write_answers(out, calls, policy.default_action);
  const std::vector<Range> ranges = make_ranges(calls, answers, policy.default_action);
  const Label tree = write_tree(out, ranges);
  write_head(out, tree);
  std::vector<sock_filter> program = out.finish();
  if (program.size() > BPF_MAXINSNS) {
    return std::unexpected(Error{ErrorKind::internal,
                                 "the seccomp filter has more than 4096 instructions",
                                 {},
                                 "name fewer values in seccomp.args"});
  }
  return program;
}

}  // namespace sbx::seccomp
