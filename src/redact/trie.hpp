// The beginnings of all wanted sequences, as a tree with the links of Aho and Corasick. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "redact/needles.hpp"

namespace sbx::redact {

struct TrieNode {
  std::uint32_t child = 0;    ///< the first; 0: none
  std::uint32_t sibling = 0;  ///< the next; 0: none
  std::uint32_t fail = 0;     ///< the longest end of this that is a beginning too
  std::uint32_t depth = 0;
  std::uint32_t begun = 0;  ///< the length of its longest end that something goes on from
  std::uint32_t owner = 0;  ///< whose beginning that is
  std::uint32_t found = 0;  ///< the length of the longest sequence that ends here; 0: none
  std::uint32_t found_owner = 0;
  unsigned char byte = 0;
  bool dull = false;  ///< this says nothing of the secret
};

struct Trie {
  std::vector<TrieNode> nodes;       ///< [0] is the root
  std::vector<std::uint32_t> order;  ///< all but the root, the shorter ones first
};

Trie make_trie(std::span<const Wanted> wanted);

}  // namespace sbx::redact
