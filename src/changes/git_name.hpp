// Names as git writes them into patches. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sbx::changes {

/// `prefix` ("a/", "b/" or nothing) and `path`; in quotes, with the escapes of C, when there are
/// control bytes, quotes, backslashes or bytes over 0x7f in it.
std::string git_name(std::string_view prefix, std::string_view path);

}  // namespace sbx::changes
