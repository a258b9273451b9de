#include "cli/ci_log.hpp"

#include "base/text.hpp"

namespace sbx::cli {
namespace {

constexpr std::size_t kLongestTitle = 200;
constexpr std::size_t kLongestText = 2000;

/// As actions/toolkit writes them: what would end a command, or a property of it.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (property && c == ':')
      out += "%3A";
    else if (property && c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string_view name_of(CiLevel level) {
  switch (level) {
    case CiLevel::notice:
      return "notice";
    case CiLevel::warning:
      return "warning";
    case CiLevel::error:
      return "error";
  }
  return "";
}

/// GitLab takes letters, digits and "_.-" for a section's name.
std::string section(std::string_view mark, const std::string& word, CiLog::Time now) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  return "\x1b[0Ksection_" + std::string(mark) + ":" + std::to_string(seconds) + ":sbx_" + word;
}

}  // namespace

CiService find_ci(const std::function<std::string(const char*)>& variable) {
  if (variable("GITHUB_ACTIONS") == "true") return CiService::github;
  if (variable("GITLAB_CI") == "true") return CiService::gitlab;
  return CiService::plain;
}

std::string CiLog::opening(std::string_view title, Time now) const {
  const std::string shown = printable(title, kLongestTitle);
  switch (service_) {
    case CiService::github:
      return "::group::" + escaped(shown, false) + "\n::stop-commands::" + word_ + "\n";
    case CiService::gitlab:
      return section("start", word_, now) + "\r\x1b[0K" + shown + "\n";
    case CiService::plain:
      return shown + "\n";
  }
  return "";
}

std::string CiLog::closing(Time now) const {
  switch (service_) {
    case CiService::github:
      return "\n::" + word_ + "::\n::endgroup::\n";
    case CiService::gitlab:
      return "\n" + section("end", word_, now) + "\r\x1b[0K\n";
    case CiService::plain:
      return "\n";
  }
  return "";
}

std::string CiLog::annotation(CiLevel level, std::string_view title, std::string_view text) const {
  if (service_ != CiService::github) return "";
  std::string lines;
  for (const std::string_view line : split(text, '\n'))
    lines += (lines.empty() ? "" : "\n") + printable(line, kLongestText);
  return "::" + std::string(name_of(level)) + " title=" + escaped(printable(title), true) +
         "::" + escaped(lines, false) + "\n";
}

}  // namespace sbx::cli
