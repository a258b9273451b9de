// Which bytes of a piece can belong to base64 or to hex at all, 64 at a time, so that text in which
// no run of them is long enough for a secret need not be looked at byte by byte. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sbx::redact {

/// A piece that is searched at once: its bytes and the lanes' tables stay in the caches.
inline constexpr std::size_t kPiece = 16U << 10U;

/// One bit a byte, the first in the lowest bit of the first word. A bit may be set for a byte that
/// does not belong; bits beyond the end are set, as anything may follow.
using ByteMap = std::array<std::uint64_t, kPiece / 64 + 1>;

struct Classes {
  ByteMap base64;
  ByteMap hex;
};

/// `bytes`: at most kPiece.
void classify(std::string_view bytes, Classes& classes);

/// The first place at `from` or later where `length` bits in a row are set (64 at most); `end` when
/// there is none before.
std::size_t find_run(const ByteMap& map, std::size_t from, std::size_t end, std::size_t length);

}  // namespace sbx::redact
