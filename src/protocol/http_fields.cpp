#include "protocol/http_fields.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "protocol/host_name.hpp"

namespace sbx::protocol {

namespace {

constexpr std::string_view kLineEnd = "\r\n";

bool is_tchar(char byte) {
  constexpr std::string_view kMarks = "!#$%&'*+.^`|~";  // is_name_byte() has '-' and '_'
  return is_name_byte(byte) || kMarks.find(byte) != std::string_view::npos;
}

std::expected<HttpField, std::string> read_field(std::string_view line) {
  constexpr std::size_t kShown = 60;
  if (line.starts_with(' ') || line.starts_with('\t'))
    return std::unexpected("has a header line that continues the one before");
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos)
    return std::unexpected("has a header line without a colon: " + printable(line, kShown));
  const std::string_view name = line.substr(0, colon);
  if (!is_token(name))
    return std::unexpected("has a header field with a wrong name: \"" + printable(name, kShown) +
                           "\"");
  const std::string_view decides = deciding_field(name);
  if (!decides.empty() && name.find('_') != std::string_view::npos)
    return std::unexpected("has a field " + std::string(name) + ", which some servers take for " +
                           std::string(decides));
  return HttpField{
      .name = name, .value = without_space(line.substr(colon + 1)), .decides = decides};
}

}  // namespace

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_tchar);
}

std::string_view without_space(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string_view deciding_field(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kDeciding{
      "Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade"};
  const auto same = [](char a, char b) { return to_lower(a) == to_lower(b == '_' ? '-' : b); };
  for (const std::string_view field : kDeciding)
    if (std::ranges::equal(field, name, same)) return field;
  return {};
}

std::expected<std::vector<HttpField>, std::string> read_fields(std::string_view block) {
  std::vector<HttpField> fields;
  while (true) {
    const std::string_view line = block.substr(0, block.find(kLineEnd));
    if (line.empty()) return fields;
    auto field = read_field(line);
    if (!field) return std::unexpected(std::move(field).error());
    fields.push_back(*field);
    block.remove_prefix(std::min(block.size(), line.size() + kLineEnd.size()));
  }
}

}  // namespace sbx::protocol
