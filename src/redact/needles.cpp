#include "redact/needles.hpp"

#include <string_view>

#include "base/quantity.hpp"
#include "base/text.hpp"

namespace sbx::redact {
namespace {

Error refusal(const Needle& needle, const std::string& why) {
  return {.kind = ErrorKind::profile,
          .what = "the secret '" + printable(needle.name) + "' " + why,
          .hint = "`redact: false` leaves it as it is in output"};
}

std::string_view without_line_ends(std::string_view text) {
  const std::size_t last = text.find_last_not_of("\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

/// RFC 7468 and RFC 1421: what every key has, and says nothing.
bool is_header(std::string_view line) {
  return line.starts_with("-----") || line.starts_with("Proc-Type:") ||
         line.starts_with("DEK-Info:");
}

/// Of the first line, if it is one, with its end.
std::size_t header_size(std::string_view value) {
  const std::size_t line_end = value.find('\n');
  return line_end != std::string_view::npos && is_header(value) ? line_end + 1 : 0;
}

/// With LF and with CRLF; both of what has either.
std::vector<std::string> with_both_line_ends(std::string_view value) {
  std::string lf;
  std::string crlf;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\r' && i + 1 < value.size() && value[i + 1] == '\n') continue;
    lf += value[i];
    crlf += value[i] == '\n' ? "\r\n" : std::string(1, value[i]);
  }
  return {lf, crlf};
}

}  // namespace

Result<std::vector<Wanted>> wanted(std::span<const Needle> needles) {
  std::vector<Wanted> all;
  std::size_t total = 0;
  for (std::size_t owner = 0; owner < needles.size(); ++owner) {
    const std::string_view value = without_line_ends(needles[owner].value);
    if (value.size() < kMinValue)
      return std::unexpected(refusal(needles[owner], "is too short to be blotted out: at least " +
                                                         std::to_string(kMinValue) +
                                                         " bytes are needed"));
    if (value.size() > kMaxValue)
      return std::unexpected(refusal(needles[owner], "is too large to be blotted out: at most " +
                                                         format_bytes(kMaxValue) + " are allowed"));
    total += value.size();
    if (total > kMaxTotal)
      return std::unexpected(refusal(needles[owner], "makes all of them larger than " +
                                                         format_bytes(kMaxTotal) +
                                                         ", too much to be searched for"));
    all.push_back({std::string(value), owner, header_size(value)});
    if (value.find('\n') == std::string_view::npos) continue;
    for (const std::string& form : with_both_line_ends(value))
      if (form != value) all.push_back({form, owner, header_size(form)});
    for (const std::string_view piece : split(value, '\n')) {
      const std::string_view line = trim(piece);
      if (line.size() >= kMinLine && !is_header(line)) all.push_back({std::string(line), owner, 0});
    }
  }
  return all;
}

}  // namespace sbx::redact
