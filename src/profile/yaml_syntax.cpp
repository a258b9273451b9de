#include "profile/yaml_syntax.hpp"

#include <utility>

#include "base/text.hpp"

namespace sbx::profile {
namespace {

/// The line with this number, counted from 0.
std::string_view line_at(std::string_view text, int number) {
  for (; number > 0 && text.find('\n') != std::string_view::npos; --number)
    text.remove_prefix(text.find('\n') + 1);
  return number > 0 ? std::string_view{} : text.substr(0, text.find('\n'));
}

}  // namespace

void report_syntax(const std::string& file, std::string_view text, const SyntaxError& error,
                   Findings& findings) {
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
}

}  // namespace sbx::profile
