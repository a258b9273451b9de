// A parser is only asked about text that holds nothing it could misread.
#include "profile/yaml_text.hpp"

#include "base/text.hpp"
#include "profile/yaml_reader.hpp"

namespace sbx::profile {
namespace {

Origin place_of(const std::string& file, std::string_view text, std::size_t offset) {
  Origin at{file, 1, 1};
  for (const char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++at.line;
      at.column = 1;
    } else {
      ++at.column;
    }
  }
  return at;
}

/// Bytes that YAML forbids (1.2.2, section 5.1). yaml-cpp takes 0x04 for the end of the file, so
/// that what follows it would be ignored without a word.
std::size_t find_forbidden(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != 0x7f) continue;
    if (c != '\n' && c != '\t' && !(c == '\r' && i + 1 < text.size() && text[i + 1] == '\n'))
      return i;
  }
  return std::string_view::npos;
}

/// Directives can change the meaning of what follows (%YAML 1.1, %TAG), so only `%YAML 1.2` is
/// read.
bool check_directives(const std::string& file, std::string_view text, Findings& findings) {
  int line = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view current = trim(rest.substr(0, rest.find('\n')));
    ++line;
    if (current.starts_with('%') && current != "%YAML 1.2") {
      findings.add({file, line, 1}, "the directive `" + printable(current, 60) +
                                        "` is not allowed; profiles are YAML 1.2");
      return false;
    }
    if (!current.empty() && !current.starts_with('#') && !current.starts_with('%')) return true;
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return true;
    rest.remove_prefix(end + 1);
  }
  return true;
}

std::string what_helps(char forbidden) {
  if (forbidden == '\0') return "no profile has one: save the file as UTF-8 text";
  if (forbidden == '\r') return "end lines with \\n or \\r\\n";
  return "write it as an escape in double quotes, such as \"\\x1b\"";
}

bool check_bytes(const std::string& file, std::string_view text, Findings& findings) {
  if (text.size() > kMaxFileSize) {
    findings.add({file, 1, 1}, "the file has " + std::to_string(text.size()) +
                                   " bytes; a profile has at most " + std::to_string(kMaxFileSize));
    return false;
  }
  if (const std::size_t bad = find_invalid_utf8(text); bad != std::string_view::npos) {
    findings.add(place_of(file, text, bad), "invalid UTF-8", "save the file as UTF-8 text");
    return false;
  }
  if (const std::size_t bad = find_forbidden(text); bad != std::string_view::npos) {
    findings.add(place_of(file, text, bad),
                 "forbidden control character `" + printable(text.substr(bad, 1)) + "`",
                 what_helps(text[bad]));
    return false;
  }
  return true;
}

}  // namespace

bool check_text(const std::string& file, std::string_view text, Findings& findings) {
  return check_bytes(file, text, findings) && check_directives(file, text, findings);
}

}  // namespace sbx::profile
