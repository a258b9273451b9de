// Strict on the way in: what sbx writes has its padding and no line ends.
#include "base/base64.hpp"

#include <algorithm>
#include <cstddef>

namespace sbx {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8U | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      out += j <= count ? kDigits[group >> (18U - 6U * j) & 63U] : '=';
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view digits) {
  if (digits.size() % 4 != 0) return std::nullopt;
  for (int most = 2; most > 0 && digits.ends_with('='); --most) digits.remove_suffix(1);
  std::string out;
  out.reserve(digits.size() * 3 / 4);
  unsigned group = 0;
  unsigned bits = 0;
  for (const char digit : digits) {
    const std::size_t value = kDigits.find(digit);
    if (value == std::string_view::npos) return std::nullopt;
    group = (group << 6U | static_cast<unsigned>(value)) & 0xffffU;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += static_cast<char>(group >> bits & 0xffU);
    }
  }
  return out;
}

}  // namespace sbx
