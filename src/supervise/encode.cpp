// Written out by hand: no library at hand does either without a copy.
#include "supervise/encode.hpp"

#include <algorithm>

namespace sbx::supervise {

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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

std::size_t incomplete_utf8_suffix(std::string_view bytes) {
  const std::size_t reach = std::min<std::size_t>(3, bytes.size());
  for (std::size_t back = 1; back <= reach; ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if ((byte & 0xC0U) == 0x80U) continue;  // inside a character: look further back
    // 0xC0, 0xC1 and 0xF5 to 0xFF start nothing (RFC 3629).
    const std::size_t length = byte < 0xC2U || byte > 0xF4U ? 1
                               : byte >= 0xF0U              ? 4
                               : byte >= 0xE0U              ? 3
                                                            : 2;
    return length > back ? back : 0;
  }
  return 0;
}

}  // namespace sbx::supervise
