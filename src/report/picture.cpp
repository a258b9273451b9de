// PNG: ISO 15948, 11.2.2. GIF89a, 18. JPEG: ITU T.81, B.2.2. WebP: RFC 9649, 2.5 to 2.7.
#include "report/picture.hpp"

#include <cstddef>

using namespace std::string_view_literals;

namespace sbx::report {
namespace {

/// Bytes of a header; 0 behind its end, which makes no picture.
class Header {
 public:
  explicit Header(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint32_t byte(std::size_t at) const {
    return at < bytes_.size() ? static_cast<unsigned char>(bytes_[at]) : 0;
  }
  [[nodiscard]] std::uint32_t big(std::size_t at, int count) const {
    std::uint32_t value = 0;
    for (int i = 0; i < count; ++i) value = value << 8U | byte(at + static_cast<std::size_t>(i));
    return value;
  }
  [[nodiscard]] std::uint32_t little(std::size_t at, int count) const {
    std::uint32_t value = 0;
    while (count-- > 0) value = value << 8U | byte(at + static_cast<std::size_t>(count));
    return value;
  }
  [[nodiscard]] bool has(std::size_t at, std::string_view word) const {
    return at <= bytes_.size() && bytes_.substr(at).starts_with(word);
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

Picture jpeg(const Header& header) {
  Picture out{"image/jpeg", "JPEG"};
  std::size_t at = 2;
  while (at + 9 < header.size() && header.byte(at) == 0xff) {
    const std::uint32_t marker = header.byte(at + 1);
    if (marker == 0xff) {  // fill
      ++at;
      continue;
    }
    // Frames are C0 to CF without DHT, JPG and DAC.
    if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc) {
      out.height = header.big(at + 5, 2);
      out.width = header.big(at + 7, 2);
      return out;
    }
    if (marker == 0xda || marker == 0xd9) return out;
    at += 2 + header.big(at + 2, 2);
  }
  return out;
}

Picture webp(const Header& header) {
  Picture out{"image/webp", "WebP"};
  if (header.has(12, "VP8X")) {
    out.width = header.little(24, 3) + 1;
    out.height = header.little(27, 3) + 1;
  } else if (header.has(12, "VP8L") && header.byte(20) == 0x2f) {
    const std::uint32_t both = header.little(21, 4);
    out.width = (both & 0x3fffU) + 1;
    out.height = (both >> 14U & 0x3fffU) + 1;
  } else if (header.has(12, "VP8 ") && header.has(23, "\x9d\x01\x2a"sv)) {
    out.width = header.little(26, 2) & 0x3fffU;
    out.height = header.little(28, 2) & 0x3fffU;
  }
  return out;
}

Picture any(const Header& header) {
  if (header.has(0, "\x89PNG\r\n\x1a\n"sv) && header.has(12, "IHDR"))
    return {"image/png", "PNG", header.big(16, 4), header.big(20, 4)};
  if (header.has(0, "GIF87a") || header.has(0, "GIF89a"))
    return {"image/gif", "GIF", header.little(6, 2), header.little(8, 2)};
  if (header.has(0, "\xff\xd8\xff"sv)) return jpeg(header);
  if (header.has(0, "RIFF") && header.has(8, "WEBP")) return webp(header);
  return {};
}

}  // namespace

std::optional<Picture> picture_of(std::string_view bytes) {
  const Picture picture = any(Header(bytes));
  if (picture.width == 0 || picture.height == 0) return std::nullopt;
  return picture;
}

}  // namespace sbx::report
