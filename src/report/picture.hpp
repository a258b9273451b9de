// Which picture bytes are, and how large it is drawn: PNG, JPEG, GIF, WebP. Only their headers are
// read, as the browser reads the rest. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sbx::report {

struct Picture {
  const char* media_type = "";
  const char* name = "";
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

/// nullopt: it is none of them, or its header makes no sense.
std::optional<Picture> picture_of(std::string_view bytes);

}  // namespace sbx::report
