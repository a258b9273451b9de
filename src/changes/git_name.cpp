#include "changes/git_name.hpp"

#include <algorithm>

namespace sbx::changes {
namespace {

// In the same order: the bytes that C has a letter for, and the letters.
constexpr std::string_view kEscaped = "\a\b\t\n\v\f\r\"\\";
constexpr std::string_view kLetters = "abtnvfr\"\\";

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\';
}

void append_escape(std::string& out, char c) {
  out += '\\';
  if (const std::size_t at = kEscaped.find(c); at != std::string_view::npos) {
    out += kLetters[at];
    return;
  }
  const auto byte = static_cast<unsigned char>(c);
  for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((byte >> shift) & 7));
}

}  // namespace

std::string git_name(std::string_view prefix, std::string_view path) {
  std::string name(prefix);
  if (std::ranges::all_of(path, is_plain)) return name.append(path);
  name.insert(0, 1, '"');
  for (const char c : path) {
    if (is_plain(c))
      name += c;
    else
      append_escape(name, c);
  }
  return name + '"';
}

}  // namespace sbx::changes
