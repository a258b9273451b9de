// What the letters and digits of an escape stand for. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sbx::redact {

constexpr std::array<unsigned char, 256> digit_table() {
  std::array<unsigned char, 256> table{};
  table.fill(99);
  for (unsigned char i = 0; i < 10; ++i) table['0' + i] = i;
  for (unsigned char i = 0; i < 6; ++i)
    table['a' + i] = table['A' + i] = static_cast<unsigned char>(10 + i);
  return table;
}
inline constexpr auto kDigits = digit_table();

/// 99: no digit.
inline unsigned digit(char c) { return kDigits[static_cast<unsigned char>(c)]; }

constexpr std::array<signed char, 256> meaning_table() {
  constexpr std::string_view kLetters = "ntrbfvae\"'/\\";
  constexpr std::string_view kMeanings = "\n\t\r\b\f\v\a\x1b\"'/\\";
  std::array<signed char, 256> table{};
  table.fill(-1);
  for (std::size_t i = 0; i < kLetters.size(); ++i)
    table[static_cast<unsigned char>(kLetters[i])] = static_cast<signed char>(kMeanings[i]);
  return table;
}
inline constexpr auto kMeanings = meaning_table();

/// What one letter after a backslash stands for; -1: nothing.
inline int meaning(char c) { return kMeanings[static_cast<unsigned char>(c)]; }

inline constexpr std::size_t kPoint = 6;  ///< bytes of \uXXXX
inline constexpr std::uint32_t kLastPoint = 0x10FFFF;

/// Of a pair of \u that is one character (RFC 8259, section 7).
inline bool is_first_half(std::uint32_t code) { return code >= 0xD800 && code < 0xDC00; }
inline bool is_second_half(std::uint32_t code) { return code >= 0xDC00 && code < 0xE000; }

inline std::uint32_t joined(std::uint32_t first, std::uint32_t second) {
  return 0x10000 + ((first - 0xD800) << 10U) + (second - 0xDC00);
}

}  // namespace sbx::redact
