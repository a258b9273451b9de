// Small text tools: how foreign bytes are shown in messages, suggestions, UTF-8, split and join.
// Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sbx {

/// `text` safe to show on a terminal: control bytes, invalid UTF-8 and direction overrides become
/// \x1b or \u202e escapes; longer than `max` bytes, it is cut with "...".
std::string printable(std::string_view text, std::size_t max = 200);

/// One shell word that stands for `text`: bare when it is harmless, else 'quoted' or $'\x1b'.
std::string quote(std::string_view text);

/// A command line for messages: every word quoted, spaces between.
std::string quote_command(std::span<const std::string> words);

/// The one of `names` that `word` is most likely a misspelling of; empty when none is near.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

/// Offset of the first byte that is not part of well-formed UTF-8 (RFC 3629); npos when all is.
std::size_t find_invalid_utf8(std::string_view text);
inline bool is_utf8(std::string_view text) {
  return find_invalid_utf8(text) == std::string_view::npos;
}

/// The pieces between separators; "a,,b" gives three, "" gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

/// `parts` with `separator` between them.
std::string join(std::span<const std::string_view> parts, std::string_view separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
/// The first `most` of them, and how many more there are: "a, b and 3 more".
std::string join_some(const std::vector<std::string>& parts, std::size_t most);

/// `text` without spaces, tabs and line ends at both sides.
std::string_view trim(std::string_view text);

/// `text` as a JSON string with its quotes, safe to show on a terminal, as printable() is; invalid
/// UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

/// `json` as safe as json_string() makes a text: whoever wrote it has escaped what JSON asks for.
void make_safe(std::string& json);

}  // namespace sbx
