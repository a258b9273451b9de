// What the fuzz targets share: a promise that is kept, and the cutting of an input into pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string_view>

namespace sbx::fuzz {

inline void require(bool holds, std::source_location at = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%u: broken promise\n", at.file_name(), at.line());
  std::abort();
}

/// Calls `feed` with pieces as long as the bytes of `cuts` say, in turn.
template <class Feed>
void in_pieces(std::string_view text, std::string_view cuts, const Feed& feed) {
  constexpr unsigned kMostPiece = 40;
  for (std::size_t i = 0; !text.empty(); ++i) {
    const std::size_t size = 1 + static_cast<unsigned char>(cuts[i % cuts.size()]) % kMostPiece;
    feed(text.substr(0, size));
    text.remove_prefix(std::min(size, text.size()));
  }
}

}  // namespace sbx::fuzz
