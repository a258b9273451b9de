// How bytes of the payload are put into JSON: as text where they are UTF-8, else as base64. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sbx::supervise {

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

/// How many bytes at the end of `bytes` are a UTF-8 character that is not complete yet: 0 to 3.
std::size_t incomplete_utf8_suffix(std::string_view bytes);

}  // namespace sbx::supervise
