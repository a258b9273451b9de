// Where text of the payload may be cut. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace sbx::supervise {

/// How many bytes at the end of `bytes` are a UTF-8 character that is not complete yet: 0 to 3.
std::size_t incomplete_utf8_suffix(std::string_view bytes);

}  // namespace sbx::supervise
