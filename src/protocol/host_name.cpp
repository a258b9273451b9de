#include "protocol/host_name.hpp"

#include <algorithm>

namespace sbx::protocol {

namespace {

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_letter(char byte) { return lower(byte) >= 'a' && lower(byte) <= 'z'; }
bool is_hex(char byte) { return is_digit(byte) || (lower(byte) >= 'a' && lower(byte) <= 'f'); }

}  // namespace

char lower(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& byte : out) byte = lower(byte);
  return out;
}

bool is_name_byte(char byte) {
  return is_letter(byte) || is_digit(byte) || byte == '-' || byte == '_';
}

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
  return lower(text);
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
