// Bit sets that say of a few bytes of a text whether something wanted may begin with them, so that
// ordinary text is passed over quickly. They may be wrong in one direction only. Pure.
#pragma once

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

/// The first 18 bits (three digits) of base64 text that has something wanted in it, for each of
/// the three ways in which its bytes can lie in the digits.
BitSet base64_beginnings(std::span<const Wanted> wanted);
/// The first 16 bits (four digits) of hex text.
BitSet hex_beginnings(std::span<const Wanted> wanted);
TextFilter text_beginnings(std::span<const Wanted> wanted);

}  // namespace sbx::redact
