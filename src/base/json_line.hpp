// JSON as sbx writes it. Pure.
#pragma once

#include <string>

namespace sbx {

/// On one line, without its end. Arguments and names may be any bytes (execve(2)), JSON may not:
/// what is no UTF-8 becomes U+FFFD. `Json` is one of nlohmann's.
template <class Json>
std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sbx
