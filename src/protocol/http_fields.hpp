// The fields of an HTTP/1 header or trailer section (RFC 9112 5, RFC 9110 5). Pure.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sbx::protocol {

/// tchar of RFC 9110 5.6.2; not empty.
bool is_token(std::string_view text);
/// `text` without spaces and tabs at both sides.
std::string_view without_space(std::string_view text);

/// A field that decides where a request goes or ends, whatever its case; "": none does.
/// '_' counts as '-', which is how CGI and what came after it see names.
std::string_view deciding_field(std::string_view name);

struct HttpField {
  std::string_view name{};
  std::string_view value{};    ///< without space around
  std::string_view decides{};  ///< see deciding_field()
};
/// `block`: lines that end with CRLF, the last one empty. The error is as in http_head.hpp.
std::expected<std::vector<HttpField>, std::string> read_fields(std::string_view block);

}  // namespace sbx::protocol
