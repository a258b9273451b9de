// Reading a text from its front. Pure.
#pragma once

#include <string_view>

namespace sbx {

/// Cuts off what stands before the first `separator`, which goes too; all of it where there is
/// none.
inline std::string_view take(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return head;
}

}  // namespace sbx
