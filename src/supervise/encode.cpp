#include "supervise/encode.hpp"

#include <algorithm>

namespace sbx::supervise {

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
