// RFC 4648, both ways: pictures go into the page as data: URLs, output that is no UTF-8 comes out
// of a result. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sbx::report {

/// With padding.
std::string to_base64(std::string_view bytes);

/// nullopt: it is none.
std::optional<std::string> from_base64(std::string_view digits);

}  // namespace sbx::report
