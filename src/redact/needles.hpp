// What is to be blotted out: the declared secrets, and what becomes of them before they are looked
// for. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace sbx::redact {

/// A secret: what it is called in the mask and in counts, and its bytes.
struct Needle {
  std::string name;
  std::string value;
};

inline constexpr std::size_t kMinValue = 4;           ///< shorter ones are found everywhere
inline constexpr std::size_t kMaxValue = 64U << 10U;  ///< of one value, in bytes
inline constexpr std::size_t kMaxTotal = 1U << 20U;   ///< of all values
inline constexpr std::size_t kMinLine = 8;            ///< from here on a line counts by itself
inline constexpr std::size_t kMaxTable = 96U << 20U;  ///< of the automaton, in bytes

/// A sequence of bytes that must not be seen in any form; `owner` is an index of the needles.
struct Wanted {
  std::string bytes;
  std::size_t owner = 0;
  std::size_t dull = 0;  ///< so many of its first bytes say nothing: the header of PEM
};
inline constexpr std::uint32_t kNobody = ~std::uint32_t{0};  ///< owner of what is dull

/// Each value without line ends at its end, with CRLF for LF too (a terminal makes that of it), and
/// each longer line of a value of several lines, but for the headers of PEM. An error (profile)
/// names the secret whose value is too short or too long to be blotted out.
Result<std::vector<Wanted>> wanted(std::span<const Needle> needles);

}  // namespace sbx::redact
