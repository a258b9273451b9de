#include "batch/strict_json.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/repeated_key.hpp"
#include "base/text.hpp"

namespace sbx::batch {
namespace {

using Json = nlohmann::json;

std::unexpected<Error> mistake(std::string what, std::string hint = {}) {
  return std::unexpected(Error{ErrorKind::usage, std::move(what), {}, std::move(hint)});
}

/// How many brackets are open at once. The library needs no stack to read, but some to free and to
/// write.
std::size_t depth_of(std::string_view text) {
  std::size_t open = 0;
  std::size_t deepest = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_text = !in_text;
    if (in_text && c == '\\') ++i;
    if (in_text) continue;
    if (c == '{' || c == '[') deepest = std::max(deepest, ++open);
    if ((c == '}' || c == ']') && open > 0) --open;
  }
  return deepest;
}

std::unexpected<Error> no_json_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kShown = 24;
  return mistake(
      "this is no JSON: byte " + std::to_string(at + 1) + ", " + quote(text.substr(at, kShown)),
      "one whole object on one line");
}

}  // namespace

Result<Json> parse_strictly(std::string_view text) {
  if (depth_of(text) > kDeepestJson)
    return mistake("more than " + std::to_string(kDeepestJson) + " brackets are open at once");
  // To the library a NUL is the end, whatever comes after it.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    return no_json_at(text, nul);
  RepeatedKey<Json> keys;
  try {
    Json value = Json::parse(text.begin(), text.end(), std::ref(keys));
    if (const auto& key = keys.first())
      return mistake("the key " + (key->empty() ? "\"\"" : quote(*key)) + " stands twice");
    return value;
  } catch (const Json::parse_error& error) {
    const std::size_t at = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
    if (at >= text.size())
      return mistake("this is no JSON: it ends too early", "one whole object on one line");
    return no_json_at(text, at);
  } catch (const Json::out_of_range& error) {  // "... number overflow parsing '1e400'"
    const auto parts = split(error.what(), '\'');
    return mistake("the number " + (parts.size() < 2 ? "" : quote(parts[1]) + " ") +
                   "in it is out of range");
  } catch (const Json::exception&) {
    return mistake("this is no JSON that can be read", "one whole object on one line");
  }
}

}  // namespace sbx::batch
