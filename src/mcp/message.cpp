#include "mcp/message.hpp"

#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "base/json_line.hpp"
#include "base/quantity.hpp"
#include "base/repeated_key.hpp"
#include "base/text.hpp"

namespace sbx::mcp {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostValues = 100'000;
constexpr std::size_t kMostMembers = 1000;  // each is looked for among those before it

/// Counts what opens and separates values outside of strings. A text that is no JSON may count
/// wrongly: the parser refuses that one anyway.
bool is_moderate(std::string_view text) {
  struct Level {
    bool is_object = false;
    std::size_t separators = 0;
  };
  std::array<Level, kDeepest + 1> levels{};
  std::size_t depth = 0;
  std::size_t values = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
      continue;
    }
    switch (c) {
      case '"':
        quoted = true;
        break;
      case '[':
      case '{':
        if (++depth > kDeepest) return false;
        levels[depth] = {.is_object = c == '{'};
        ++values;
        break;
      case ']':
      case '}':
        if (depth > 0) --depth;
        break;
      case ',':
        if (++levels[depth].separators >= kMostMembers && levels[depth].is_object) return false;
        ++values;
        break;
      default:
        break;
    }
    if (values > kMostValues) return false;
  }
  return true;
}

/// Whole or not at all: of half a secret nobody could tell that it is one, to mask it.
std::string shown(const std::string& key) {
  constexpr std::size_t kLongestName = 100;
  return key.size() > kLongestName ? "of " + std::to_string(key.size()) + " bytes"
                                   : json_string(key);
}

/// It is kept for as long as its request is, and comes back with the answer.
bool is_id(const Json& id) {
  constexpr std::size_t kLongestId = 1024;
  if (id.is_string()) return id.get_ref<const std::string&>().size() <= kLongestId;
  return id.is_number_integer();
}

Malformed malformed(Json id, std::string text) {
  return {std::move(id), {Code::invalid_request, std::move(text)}};
}

Json parse(std::string_view line, RepeatedKey<Json>& keys) {
  // To the library a NUL is the end, whatever comes after it.
  if (line.contains('\0')) return Json::value_t::discarded;
  return Json::parse(line, std::ref(keys), false);
}

/// Of a document that is refused: somebody waits for the answer to the request that it would have
/// been. `twice`: a key that stands in it twice.
Json id_of(const Json& document, const std::optional<std::string>& twice) {
  if (!document.is_object() || twice == "id") return {};
  const auto id = document.find("id");
  return id != document.end() && is_id(*id) ? *id : Json();
}

/// The number of the `\uXXXX` that `text` begins with; 0: it does not.
unsigned escaped_unit(std::string_view text) {
  constexpr std::size_t kLength = 6;
  if (text.size() < kLength || !text.starts_with("\\u")) return 0;
  return parse_number<unsigned>(text.substr(2, kLength - 2), 16).value_or(0);
}

/// `line` with U+FFFD for each half of a surrogate pair: whoever cuts a text in two, in a language
/// whose texts are of UTF-16, writes that. Nothing: there is none.
std::optional<std::string> without_half_pairs(std::string_view line) {
  constexpr std::size_t kUnit = 6;
  const auto is_first = [](unsigned unit) { return unit >= 0xd800 && unit < 0xdc00; };
  const auto is_second = [](unsigned unit) { return unit >= 0xdc00 && unit < 0xe000; };
  std::string out(line);
  bool found = false;
  for (std::size_t at = 0; (at = line.find('\\', at)) != std::string_view::npos;) {
    const unsigned unit = escaped_unit(line.substr(at));
    if (is_first(unit) && is_second(escaped_unit(line.substr(at + kUnit)))) {
      at += 2 * kUnit;
    } else if (is_first(unit) || is_second(unit)) {
      out.replace(at, kUnit, "\\ufffd");
      found = true;
      at += kUnit;
    } else {
      at += 2;
    }
  }
  return found ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

std::expected<Json, Malformed> read_document(std::string_view line) {
  if (!is_moderate(line)) return std::unexpected(malformed({}, "too deep, or too many values"));
  RepeatedKey<Json> keys;
  Json document = parse(line, keys);
  if (document.is_discarded()) {
    const auto whole = without_half_pairs(line);
    if (whole) document = parse(*whole, keys);
    if (document.is_discarded())
      return std::unexpected(Malformed{{}, {Code::parse_error, "the line is no JSON"}});
    return std::unexpected(
        malformed(id_of(document, keys.first()),
                  "half of a surrogate pair (\\ud800 to \\udfff) is no character"));
  }
  const auto& key = keys.first();
  if (!key) return document;
  return std::unexpected(
      malformed(id_of(document, key), "the key " + shown(*key) + " stands twice in one object"));
}

std::variant<Request, Reply, Malformed> read_message(Json document) {
  if (!document.is_object()) return malformed({}, "a message is an object");
  const auto member = [&document](const char* name) {
    const auto found = document.find(name);
    return found == document.end() ? Json() : *found;
  };
  const bool has_id = document.contains("id");
  const Json id = member("id");
  const Json known = is_id(id) ? id : Json();
  if (member("jsonrpc") != "2.0") return malformed(known, "`jsonrpc` has to be \"2.0\"");
  if (!document.contains("method")) {
    if (document.contains("result") || document.contains("error")) return Reply{};
    return malformed(known, "a request needs a `method`");
  }
  if (has_id && !is_id(id))
    return malformed({},
                     "`id` has to be a text of at most 1 KiB, or an integer of at most 64 bits");
  const Json method = member("method");
  if (!method.is_string()) return malformed(known, "`method` has to be a text");
  Json params = document.contains("params") ? member("params") : Json::object();
  // Nobody waits for what a notification is answered with (JSON-RPC 2.0, 4.1).
  if (!params.is_object() && !has_id) params = Json::object();
  if (!params.is_object()) {
    // JSON-RPC has lists as well, this protocol has not.
    Malformed wrong = malformed(known, "`params` has to be an object");
    wrong.why.code = Code::invalid_params;
    return wrong;
  }
  return Request{known, method.get<std::string>(), std::move(params)};
}

Json result_of(const Json& id, Json result) {
  Json message{{"jsonrpc", "2.0"}, {"id", id}};
  message["result"] = std::move(result);
  return message;
}

Json error_of(const Json& id, const Refusal& why) {
  Json error{{"code", static_cast<int>(why.code)}, {"message", why.text}};
  if (!why.data.is_null()) error["data"] = why.data;
  Json message{{"jsonrpc", "2.0"}, {"id", id}};
  message["error"] = std::move(error);
  return message;
}

Json notification(std::string_view method, Json params) {
  Json message{{"jsonrpc", "2.0"}, {"method", method}};
  message["params"] = std::move(params);
  return message;
}

std::string line_of(const Json& message) { return json_line(message) + "\n"; }

}  // namespace sbx::mcp
