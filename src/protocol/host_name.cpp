#include "protocol/host_name.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace sbx::protocol {

namespace {

bool is_hex(char byte) {
  return is_digit(byte) || (to_lower(byte) >= 'a' && to_lower(byte) <= 'f');
}

}  // namespace

bool is_name_byte(char byte) { return is_alnum(byte) || byte == '-' || byte == '_'; }

std::optional<std::string> host_name(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty() || text.size() > kMostNameText) return std::nullopt;
  std::size_t label = 0;
  for (const char byte : text) {
    if (byte == '.' && label == 0) return std::nullopt;
    label = byte == '.' ? 0 : label + 1;
    if (label > kMostLabel || (byte != '.' && !is_name_byte(byte))) return std::nullopt;
  }
  if (label == 0) return std::nullopt;
  return to_lower(text);
}

bool is_numeric(std::string_view name) {
  std::string_view last = name.substr(name.rfind('.') + 1);
  if (last.starts_with("0x")) {
    last.remove_prefix(2);
    return std::ranges::all_of(last, is_hex);
  }
  return !last.empty() && std::ranges::all_of(last, is_digit);
}

}  // namespace sbx::protocol
