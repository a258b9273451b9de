#include "redact/digits.hpp"

#include <string_view>

namespace sbx::redact {
namespace {

constexpr Meanings meanings_of(std::string_view digits, std::string_view gaps) {
  Meanings meanings{};
  meanings.fill(kOtherByte);
  for (std::size_t i = 0; i < digits.size(); ++i)
    meanings[static_cast<unsigned char>(digits[i])] = static_cast<unsigned char>(i);
  for (const char c : gaps) meanings[static_cast<unsigned char>(c)] = kGapByte;
  return meanings;
}

constexpr Meanings base64_meanings() {
  Meanings meanings =
      meanings_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "\r\n");
  meanings['-'] = meanings['+'];
  meanings['_'] = meanings['/'];
  return meanings;
}

/// Pairs of digits are often apart: "73 65", "73:65", "73-65".
constexpr Meanings hex_meanings() {
  Meanings meanings = meanings_of("0123456789abcdef", "\r\n :-");
  for (unsigned i = 10; i < 16; ++i) meanings['A' + (i - 10)] = static_cast<unsigned char>(i);
  return meanings;
}

}  // namespace

constinit const Meanings kBase64Meanings = base64_meanings();
constinit const Meanings kHexMeanings = hex_meanings();
constinit const Rolls kBase64Rolls = rolls_of(base64_meanings(), Base64Digits::kBits);
constinit const Rolls kHexRolls = rolls_of(hex_meanings(), HexDigits::kBits);

}  // namespace sbx::redact
