#include "changes/patch_text.hpp"

#include "base/text.hpp"

namespace sbx::changes {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kPlain = "\x1b[m";

/// The colour of a line in a hunk: its first byte says what it is, whatever the content.
std::string_view colour_of(char mark) {
  switch (mark) {
    case '+':
      return "\x1b[32m";
    case '-':
      return "\x1b[31m";
    case '@':
      return "\x1b[36m";
    default:
      return {};
  }
}

/// Tabs stay, as they do no harm and many files are indented with them.
void append_safe(std::string& out, std::string_view line) {
  bool first = true;
  for (const std::string_view piece : split(line, '\t')) {
    if (!first) out += '\t';
    out += printable(piece, std::string_view::npos);
    first = false;
  }
}

}  // namespace

void PatchText::header(std::string_view line) {
  if (colour_) text_ += kBold;
  text_ += line;
  if (colour_) text_ += kPlain;
  text_ += '\n';
}

void PatchText::hunks(std::string_view text) {
  if (!escape_) {
    text_ += text;
    return;
  }
  while (!text.empty()) {
    const std::size_t end = text.find('\n');  // a hunk ends with one
    const std::string_view colour = colour_ ? colour_of(text.front()) : "";
    text_ += colour;
    append_safe(text_, text.substr(0, end));
    if (!colour.empty()) text_ += kPlain;
    text_ += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace sbx::changes
