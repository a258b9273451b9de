#include "redact_forms.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace redact_testing {
namespace {

std::string escaped(const char* how, char c) {
  std::array<char, 8> text{};
  static_cast<void>(std::snprintf(text.data(), text.size(), how, static_cast<unsigned char>(c)));
  return text.data();
}

std::string json_escape(char c, std::size_t which) {
  constexpr std::string_view kPlain = "\n\t\r\b\f\"\\/";
  constexpr std::string_view kLetters = "ntrbf\"\\/";
  const std::size_t at = kPlain.find(c);
  if (at != std::string_view::npos && which < 4) return std::string("\\") + kLetters[at];
  return escaped(which % 2 == 0 ? "\\u%04x" : "\\u%04X", c);
}

}  // namespace

std::string base64(std::string_view bytes, bool url_safe, bool padded) {
  std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  digits += url_safe ? "-_" : "+/";
  std::string text;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : bytes) {
    bits = (bits << 8U) | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) text += digits[(bits >> (count - 6)) & 63U];
  }
  if (count > 0) text += digits[(bits << (6 - count)) & 63U];
  while (padded && text.size() % 4 != 0) text += '=';
  return text;
}

std::string hex(std::string_view bytes, bool upper) {
  std::string text;
  for (const char c : bytes) text += escaped(upper ? "%02X" : "%02x", c);
  return text;
}

std::string wrapped(std::string_view text, std::size_t columns, std::string_view line_end) {
  std::string lines;
  for (std::size_t i = 0; i < text.size(); i += columns) {
    if (i > 0) lines += line_end;
    lines += text.substr(i, columns);
  }
  return lines;
}

std::string Dice::of(std::string_view alphabet, std::size_t length) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += alphabet[below(alphabet.size())];
  return text;
}

std::string Dice::percent(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const bool must = c == '%' || c == '\\';
    text += must || often() ? escaped(often() ? "%%%02X" : "%%%02x", c) : std::string(1, c);
  }
  return text;
}

std::string Dice::form(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    if (c == ' ' && often())
      text += '+';
    else
      text += c == '+' ? "%2B" : percent(std::string_view(&c, 1));
  }
  return text;
}

std::string Dice::json(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const bool must = c == '"' || c == '\\' || static_cast<unsigned char>(c) < 32;
    text += must || below(4) == 0 ? json_escape(c, below(8)) : std::string(1, c);
  }
  return text;
}

std::string Dice::any_form(std::string_view bytes) {
  const std::string before = of("xyz \n", below(4));
  const std::string around = before + std::string(bytes) + of("uvw \n", below(4));
  const std::string_view line_end = often() ? "\n" : "\r\n";
  switch (below(9)) {
    case 0:
      return percent(bytes);
    case 1:
      return form(bytes);
    case 2:
      return json(bytes);
    case 3:
      return base64(around, often(), often());
    case 4:
      return wrapped(base64(around, often(), often()), 1 + below(76), line_end);
    case 5:
      return hex(around, often());
    case 6:
      return wrapped(hex(around, often()), 1 + below(60), often() ? line_end : ":");
    default:
      return std::string(bytes);
  }
}

}  // namespace redact_testing
