#include "redact/trie.hpp"

namespace sbx::redact {
namespace {

std::uint32_t child_by(const Trie& trie, std::uint32_t node, unsigned char byte) {
  std::uint32_t child = trie.nodes[node].child;
  while (child != 0 && trie.nodes[child].byte != byte) child = trie.nodes[child].sibling;
  return child;
}

void add(Trie& trie, const Wanted& wanted) {
  std::uint32_t at = 0;
  for (const char c : wanted.bytes) {
    const auto byte = static_cast<unsigned char>(c);
    std::uint32_t next = child_by(trie, at, byte);
    if (next == 0) {
      next = static_cast<std::uint32_t>(trie.nodes.size());
      trie.nodes.push_back({.sibling = trie.nodes[at].child,
                            .depth = trie.nodes[at].depth + 1,
                            .owner = static_cast<std::uint32_t>(wanted.owner),
                            .byte = byte,
                            .dull = true});
      trie.nodes[at].child = next;
    }
    at = next;
    if (trie.nodes[at].depth > wanted.dull) trie.nodes[at].dull = false;
  }
  TrieNode& end = trie.nodes[at];
  if (end.found != 0) return;  // the same value twice: the first name stands
  end.found = end.depth;
  end.found_owner = static_cast<std::uint32_t>(wanted.owner);
}

/// Linear in the length of all sequences: going down one adds at most one step of going back.
std::uint32_t fail_of(const Trie& trie, std::uint32_t parent, unsigned char byte) {
  while (parent != 0) {
    parent = trie.nodes[parent].fail;
    const std::uint32_t child = child_by(trie, parent, byte);
    if (child != 0) return child;
  }
  return 0;
}

void link(Trie& trie, std::uint32_t parent) {
  for (std::uint32_t at = trie.nodes[parent].child; at != 0; at = trie.nodes[at].sibling) {
    TrieNode& node = trie.nodes[at];
    node.fail = fail_of(trie, parent, node.byte);
    node.begun = node.depth;
    if (node.child == 0) {
      node.begun = trie.nodes[node.fail].begun;
      node.owner = trie.nodes[node.fail].owner;
    } else if (node.dull) {
      node.owner = kNobody;
    }
    if (node.found == 0) {
      node.found = trie.nodes[node.fail].found;
      node.found_owner = trie.nodes[node.fail].found_owner;
    }
    trie.order.push_back(at);
  }
}

}  // namespace

Trie make_trie(std::span<const Wanted> wanted) {
  Trie trie{.nodes = std::vector<TrieNode>(1), .order = {}};
  for (const Wanted& one : wanted) add(trie, one);
  trie.order.reserve(trie.nodes.size());
  link(trie, 0);
  for (std::size_t i = 0; i < trie.order.size(); ++i) link(trie, trie.order[i]);
  return trie;
}

}  // namespace sbx::redact
