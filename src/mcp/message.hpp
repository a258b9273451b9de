// JSON-RPC 2.0 (jsonrpc.org/specification) as the Model Context Protocol uses it: one line, one
// message, or a batch of them. Every byte is the client's. Pure.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

namespace sbx::mcp {

using Json = nlohmann::ordered_json;

enum class Code {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  resource_not_found = -32002,   ///< of revisions before 2026-07-28
  unsupported_version = -32022,  ///< since 2026-07-28
};

/// What a request is refused with.
struct Refusal {
  Code code = Code::internal_error;
  std::string text{};
  Json data{};  ///< null: nothing more to say
};

/// A line longer than this is no message.
constexpr std::size_t kLongestLine = std::size_t{16} << 20U;

struct Request {
  Json id{};  ///< a text or an integer; null: a notification, which is not answered
  std::string method{};
  Json params{};  ///< an object
  [[nodiscard]] bool is_notification() const { return id.is_null(); }
};
/// What a client answers to us: nothing was asked of it.
struct Reply {};
struct Malformed {
  Json id{};  ///< as far as it can be told, else null
  Refusal why{};
};

/// The document that `line` is, if no key stands twice in one object of it. Bounded before a parser
/// sees it: depth, how many values it has, since a value costs many times the bytes that it is
/// written with, and how many of them one object has, since reading it takes the square of that.
std::expected<Json, Malformed> read_document(std::string_view line);

/// One message of a document, which is no batch.
std::variant<Request, Reply, Malformed> read_message(Json document);

Json result_of(const Json& id, Json result);
Json error_of(const Json& id, const Refusal& why);
Json notification(std::string_view method, Json params);

/// With its line end; what is no UTF-8 becomes U+FFFD.
std::string line_of(const Json& message);

}  // namespace sbx::mcp
