// RFC 4648, both ways: bytes of a payload that are no UTF-8 go into JSON so, pictures into a page.
// Written out by hand: no library at hand does it without a copy. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sbx {

/// With padding.
std::string to_base64(std::string_view bytes);

/// nullopt: it is none.
std::optional<std::string> from_base64(std::string_view digits);

}  // namespace sbx
