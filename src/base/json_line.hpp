// JSON as sbx writes it. Pure.
#pragma once

#include <string>

#include "base/text.hpp"

namespace sbx {

/// On one line, without its end. Arguments and names may be any bytes (execve(2)), JSON may not:
/// what is no UTF-8 becomes U+FFFD. Nor is what a terminal obeys, or shows as another text, left as
/// it is. `Json` is one of nlohmann's.
template <class Json>
std::string json_line(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  make_safe(text);
  return text;
}

}  // namespace sbx
