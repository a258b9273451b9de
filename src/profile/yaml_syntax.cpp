#include "profile/yaml_syntax.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace sbx::profile {
namespace {

/// The line with this number, counted from 0.
std::string_view line_at(std::string_view text, int number) {
  for (; number > 0 && text.find('\n') != std::string_view::npos; --number)
    text.remove_prefix(text.find('\n') + 1);
  return number > 0 ? std::string_view{} : text.substr(0, text.find('\n'));
}

/// Where the bracket stands that a list or map begins with, behind a tag or an anchor: as an index
/// of `text`. One without brackets, the "a: b" of [a: b], has none.
std::optional<std::size_t> bracket_at(std::string_view text, const Origin& at) {
  std::size_t here = 0;
  for (int line = 1; line < at.line; ++line) here = text.find('\n', here) + 1;
  here += static_cast<std::size_t>(at.column - 1);
  if (here >= text.size() || !std::string_view("[{!&").contains(text[here])) return std::nullopt;
  here = text.find_first_of("[{", here);
  if (here == std::string_view::npos) return std::nullopt;
  return here;
}

/// The end of the quoted text that begins at `at`; '' in the midst of one reads as two of them.
std::size_t end_of_quote(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at)
    if (quote == '"' && text[at] == '\\') ++at;
  return at;
}

/// Of the bracket at the beginning: how it ends.
struct Ending {
  std::size_t opening = std::string_view::npos;  ///< that is left open, or closed by another kind
  std::size_t closing = std::string_view::npos;  ///< of the other kind; npos: there is none
  [[nodiscard]] bool never() const {
    return opening != std::string_view::npos && closing == std::string_view::npos;
  }
};

Ending ending_of(std::string_view text, std::size_t at) {
  std::vector<std::size_t> open;
  for (char before = ' '; at < text.size(); ++at) {
    const char c = text[at];
    const bool begins = std::string_view(" \t\n[{,:'").contains(before);
    if (c == '#' && begins) {
      at = std::min(text.find('\n', at), text.size());
    } else if ((c == '"' || c == '\'') && begins) {
      at = end_of_quote(text, at);
    } else if (c == '[' || c == '{') {
      open.push_back(at);
    } else if (c == ']' || c == '}') {
      const std::size_t opening = open.back();
      if ((text[opening] == '[') != (c == ']')) return {opening, at};
      open.pop_back();
      if (open.empty()) return {};
    }
    before = at < text.size() ? text[at] : ' ';
  }
  return {.opening = open.front()};
}

/// The place of `text[at]`.
Origin place_of(const std::string& file, std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  return {file, static_cast<int>(std::ranges::count(before, '\n')) + 1,
          static_cast<int>(at - (before.rfind('\n') + 1)) + 1};
}

std::string where_it_ends(char bracket) {
  return std::string("write `") + (bracket == '[' ? "]` where the list" : "}` where the map") +
         " ends";
}

/// The parser says only where it gave up, which may be the end of the file.
bool report_unclosed(const std::string& file, std::string_view text, const SyntaxError& error,
                     Findings& findings) {
  for (const Origin& place : error.brackets) {
    const auto at = bracket_at(text, place);
    if (!at) continue;
    if (!ending_of(text, *at).never()) return false;
    findings.add(place_of(file, text, *at),
                 std::string("not valid YAML: the bracket `") + text[*at] + "` is never closed",
                 where_it_ends(text[*at]));
    return true;
  }
  return false;
}

/// The bracket that the one at `closing`, of the other kind, would close. The parser has told where
/// lists and maps begin only of those outside of it, and not always of these.
std::size_t crossed_by(std::string_view text, const SyntaxError& error, std::size_t closing) {
  constexpr int kMostLines = 50;
  const auto crossed = [&](std::size_t from) {
    const Ending ending = ending_of(text, from);
    return ending.closing == closing ? ending.opening : std::string_view::npos;
  };
  if (!error.brackets.empty())
    if (const auto from = bracket_at(text, error.brackets.back()))
      if (const std::size_t found = crossed(*from); found != std::string_view::npos) return found;
  std::size_t end = closing;
  for (int lines = 0; lines < kMostLines; ++lines) {
    const std::size_t begin = text.substr(0, end).rfind('\n') + 1;
    const std::size_t from = text.find_first_of("[{", begin);
    if (from < end)
      if (const std::size_t found = crossed(from); found != std::string_view::npos) return found;
    if (begin == 0) break;
    end = begin - 1;
  }
  return std::string_view::npos;
}

/// False: no bracket is there.
bool report_crossed(const std::string& file, std::string_view text, const SyntaxError& error,
                    Findings& findings) {
  const std::string_view line = line_at(text, error.line);
  const auto column = static_cast<std::size_t>(error.column);
  if (column >= line.size() || (line[column] != ']' && line[column] != '}')) return false;
  const auto closing = static_cast<std::size_t>(line.data() - text.data()) + column;
  const std::string wrong = std::string("`") + text[closing] + "`";
  const std::size_t opening = crossed_by(text, error, closing);
  if (opening == std::string_view::npos) {
    findings.add(place_of(file, text, closing),
                 "not valid YAML: no bracket is open that " + wrong + " closes");
    return true;
  }
  findings.add(place_of(file, text, opening),
               std::string("not valid YAML: the bracket `") + text[opening] + "` is closed by " +
                   wrong + " (line " + std::to_string(error.line + 1) + ", column " +
                   std::to_string(error.column + 1) + ")",
               where_it_ends(text[opening]));
  return true;
}

}  // namespace

std::string_view without_anchor(std::string_view text) {
  if (!text.starts_with('&')) return text;
  text.remove_prefix(std::min(text.size(), text.find_first_of(" \t\r\n")));
  for (;;) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
    if (!text.starts_with('#')) return text;
    text.remove_prefix(std::min(text.size(), text.find('\n')));
  }
}

void report_continued(std::span<const Origin> texts, Findings& findings) {
  for (const Origin& at : texts)
    findings.add(at, "this text goes on in the next line",
                 "indent that line as its neighbours, if it is an entry of its own; else quote "
                 "all of it, or write it with | or >");
}

bool report_syntax(const std::string& file, std::string_view text, const SyntaxError& error,
                   Findings& findings) {
  if (error.message.contains("flow not found") && report_unclosed(file, text, error, findings))
    return true;
  if (error.message.contains("illegal flow end") && report_crossed(file, text, error, findings))
    return true;
  const std::string_view line = line_at(text, error.line);
  const std::size_t tab = line.substr(0, line.find_first_not_of(" \t")).find('\t');
  if (tab != std::string_view::npos) {
    findings.add({file, error.line + 1, static_cast<int>(tab) + 1},
                 "not valid YAML: a tab cannot indent", "indent with spaces");
  } else if (error.message.find("document indicator in scalar") != std::string::npos) {
    findings.add({file, error.line + 1, error.column + 1},
                 "not valid YAML: a quoted text above is never closed");
  } else {
    const auto at = static_cast<std::size_t>(error.column);
    const std::string_view here = at < line.size() ? line.substr(0, at + 1) : std::string_view{};
    std::string hint =
        "look at this line and the one before: indentation, colons, quotes, brackets";
    if (here.ends_with("${")) hint = "between brackets, text with `${` goes in quotes";
    if (!here.empty() && std::string_view("*@`%").contains(here.back()))  // YAML's own
      hint = "text that begins with `" + std::string(1, here.back()) + "` goes in quotes";
    findings.add({file, error.line + 1, error.column + 1},
                 "not valid YAML: " + printable(error.message, 120), std::move(hint));
  }
  return false;
}

}  // namespace sbx::profile
