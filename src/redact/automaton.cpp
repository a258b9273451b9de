#include "redact/automaton.hpp"

#include <algorithm>

#include "base/quantity.hpp"
#include "redact/trie.hpp"

namespace sbx::redact {

/// Bytes that nothing wanted has share the first column.
void Automaton::choose_columns(std::span<const Wanted> wanted) {
  std::array<bool, 256> used{};
  for (const Wanted& one : wanted) {
    longest_ = std::max(longest_, one.bytes.size());
    for (const char c : one.bytes) used[static_cast<unsigned char>(c)] = true;
  }
  width_ = kFacts + 1;
  for (std::size_t byte = 0; byte < used.size(); ++byte)
    column_[byte] = static_cast<std::uint16_t>(used[byte] ? width_++ : kFacts);
}

std::pair<std::size_t, std::size_t> Automaton::begun_with(At at, unsigned bits,
                                                          unsigned count) const {
  const Steps steps(*this);
  const unsigned open = 8 - count;
  std::pair<std::size_t, std::size_t> longest{0, kNobody};
  for (unsigned byte = bits << open; byte < (bits + 1) << open; ++byte) {
    const At next = steps.step(at, static_cast<unsigned char>(byte));
    if (owner(next) != kNobody && begun(next) > longest.first) longest = {begun(next), owner(next)};
    if (found(next) > longest.first) longest = {found(next), found_owner(next)};
  }
  return longest;
}

Result<Automaton> Automaton::build(std::span<const Wanted> wanted) {
  Automaton made;
  made.choose_columns(wanted);
  const Trie trie = make_trie(wanted);
  const std::size_t size = trie.nodes.size() * made.width_;
  if (size * sizeof(At) > kMaxTable)
    return std::unexpected(
        Error{.kind = ErrorKind::profile,
              .what = "the secrets are too large to be searched for: the table would take " +
                      format_bytes(size * sizeof(At)) + ", at most " + format_bytes(kMaxTable) +
                      " are allowed",
              .hint = "set `redact: false` for the largest of them"});

  // Accepting states last, so that one comparison tells them; else in the order of the values, so
  // that reading one means going on in memory by steps of one length, which processors foresee.
  std::vector<At> row(trie.nodes.size());
  At next = static_cast<At>(made.width_);
  for (const bool accepting : {false, true}) {
    if (accepting) made.first_accepting_ = next;
    for (std::size_t node = 1; node < trie.nodes.size(); ++node) {
      if ((trie.nodes[node].found != 0) != accepting) continue;
      row[node] = next;
      next += static_cast<At>(made.width_);
    }
  }

  made.rows_.assign(size, 0);
  const auto fill = [&](std::uint32_t index) {
    const TrieNode& node = trie.nodes[index];
    const auto to = made.rows_.begin() + row[index];
    if (index != 0) std::copy_n(made.rows_.begin() + row[node.fail], made.width_, to);
    to[0] = node.begun;
    to[1] = node.owner;
    to[2] = node.found;
    to[3] = node.found_owner;
    for (std::uint32_t child = node.child; child != 0; child = trie.nodes[child].sibling)
      to[made.column_[trie.nodes[child].byte]] = row[child];
  };
  fill(0);
  for (const std::uint32_t node : trie.order) fill(node);
  return made;
}

}  // namespace sbx::redact
