// Bit sets that say of a few bytes of a text whether something wanted may begin with them, so that
// ordinary text is passed over quickly. They may be wrong in one direction only. Pure.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "redact/needles.hpp"

namespace sbx::redact {

/// A set of numbers below 2^bits.
class BitSet {
 public:
  explicit BitSet(unsigned bits) : words_((std::size_t{1} << bits) / 64) {}
  void add(std::size_t number) { words_[number / 64] |= std::uint64_t{1} << (number % 64); }
  [[nodiscard]] bool has(std::size_t number) const {
    return ((words_[number / 64] >> (number % 64)) & 1U) != 0;
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// By the first three bytes of a text that is looked for as it stands.
class TextFilter {
 public:
  static constexpr std::size_t kReads = 4;  ///< bytes that may_begin() reads

  void add(std::string_view text) {
    char first[kReads] = {};
    std::memcpy(first, text.data(), 3);
    set_.add(slot(first));
  }
  [[nodiscard]] bool may_begin(const char* text) const { return set_.has(slot(text)); }

 private:
  static std::size_t slot(const char* text) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, text, kReads);
    // Without the fourth byte: it is only read because four are one load.
    bytes = std::endian::native == std::endian::little ? bytes << 8U : bytes & ~std::uint32_t{255};
    return (bytes * 0x9E3779B1U) >> 16U;
  }
  BitSet set_{16};
};

/// Digits are looked at through windows of so many.
inline constexpr unsigned kBase64Bits = 6;
inline constexpr std::size_t kBase64Window = 3;
inline constexpr unsigned kHexBits = 4;
inline constexpr std::size_t kHexWindow = 4;

/// How far apart the windows that are looked at may be: of the first so many windows in anything
/// wanted, one is then looked at. `shortest`: of what is wanted, in bytes, at least kMinValue.
constexpr std::size_t stride_of(std::size_t shortest, unsigned bits, std::size_t window) {
  constexpr std::size_t kMost = 8;  // more windows in a filter let more through
  return std::min(kMost, shortest * 8 / bits - window + 1);
}

/// The first windows of base64 text that has something wanted in it, for each of the three ways in
/// which its bytes can lie in the digits; as many windows as a stride.
BitSet base64_beginnings(std::span<const Wanted> wanted, std::size_t shortest);
/// The same of hex text.
BitSet hex_beginnings(std::span<const Wanted> wanted, std::size_t shortest);
TextFilter text_beginnings(std::span<const Wanted> wanted);

}  // namespace sbx::redact
