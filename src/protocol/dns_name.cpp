#include "protocol/dns_name.hpp"

#include "base/ascii.hpp"
#include "protocol/host_name.hpp"

namespace sbx::protocol {

namespace {

/// \DDD, the byte in decimal.
void append_escaped(std::string& out, std::uint8_t byte) {
  constexpr std::uint8_t kTen = 10;
  out += '\\';
  out += static_cast<char>('0' + byte / (kTen * kTen));
  out += static_cast<char>('0' + byte / kTen % kTen);
  out += static_cast<char>('0' + byte % kTen);
}

}  // namespace

std::string shown_in_names(std::string_view bytes) {
  constexpr std::size_t kEscaped = 4;
  std::string shown;
  shown.reserve(kEscaped * bytes.size());
  for (const char byte : bytes) {
    if (is_name_byte(byte) || byte == '.')
      shown += to_lower(byte);
    else
      append_escaped(shown, static_cast<std::uint8_t>(byte));
  }
  return shown;
}

std::optional<std::string> read_name(Reader& reader) {
  std::string name;
  std::size_t size = 1;  // with the root's zero
  bool odd = false;
  while (const std::uint8_t length = reader.u8()) {
    size += 1U + length;
    // More than 63 is a pointer or a type of label that nobody uses (RFC 6891 5).
    if (length > kMostLabel || size > kMostNameBytes) return std::nullopt;
    if (!name.empty()) name += '.';
    for (const std::uint8_t byte : reader.take(length)) {
      const char text = static_cast<char>(byte);
      if (is_name_byte(text)) {
        name += to_lower(text);
      } else {
        odd = true;
        append_escaped(name, byte);
      }
    }
  }
  if (reader.failed()) return std::nullopt;
  return odd ? "(" + name + ")" : name;
}

bool skip_name(Reader& reader) {
  constexpr std::uint8_t kPointer = 0xc0;
  std::size_t size = 1;
  while (const std::uint8_t length = reader.u8()) {
    if ((length & kPointer) == kPointer) {
      reader.u8();
      break;
    }
    size += 1U + length;
    if (length > kMostLabel || size > kMostNameBytes) return false;
    reader.take(length);
  }
  return !reader.failed();
}

bool write_name(std::string& out, std::string_view name) {
  if (!host_name(name)) return false;
  while (!name.empty()) {
    const std::string_view label = name.substr(0, name.find('.'));
    out += static_cast<char>(label.size());
    out += label;
    name.remove_prefix(std::min(name.size(), label.size() + 1));
  }
  out += '\0';
  return true;
}

}  // namespace sbx::protocol
