// Where the characters of UTF-8 are (RFC 3629). Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace sbx {

/// Inside of a character: none begins there.
constexpr bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

/// Near enough to a terminal's columns where there are no control bytes, as printable() has it.
inline std::size_t count_characters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues_character));
}

}  // namespace sbx
