// Escaping is byte by byte on purpose: messages quote hostile files, and a terminal must survive
// them.
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "base/ascii.hpp"
#include "base/utf8.hpp"

namespace sbx {
namespace {

struct Scalar {
  char32_t value = 0;
  std::size_t length = 0;  ///< 0: not well-formed
};

/// The code point at the front of `text` (not empty).
Scalar take_scalar(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length == 0 || lead > 0xf4 || text.size() < length) return {};
  char32_t value = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    value = (value << 6U) | (byte(i) & 0x3fU);
  }
  // Overlong forms, surrogates and values past U+10FFFF are not UTF-8 (RFC 3629, section 3).
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return {};
  return {value, length};
}

/// Moves the cursor, changes colour, reorders text, or is not seen and read by programs all the
/// same: C0, DEL, C1, line separators, bidi controls, tags and the selectors beside them.
bool is_unsafe(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x2069) || c == 0xfeff ||
         (c >= 0xe0000 && c <= 0xe0fff);
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    out += kHex[(value >> static_cast<unsigned>(shift)) & 0xfU];
  }
}

void append_escape(std::string& out, char32_t c) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      break;
  }
  out += c < 0x80 ? "\\x" : c > 0xffff ? "\\U" : "\\u";
  append_hex(out, c, c < 0x80 ? 2 : c > 0xffff ? 8 : 4);
}

/// As JSON has it: what is more than four digits is a pair of surrogates.
void append_json_escape(std::string& out, char32_t c) {
  out += "\\u";
  if (c > 0xffff) {
    append_hex(out, 0xd800 + ((c - 0x10000) >> 10U), 4);
    out += "\\u";
    c = 0xdc00 + ((c - 0x10000) & 0x3ffU);
  }
  append_hex(out, c, 4);
}

/// Appends `text` with unsafe characters escaped; tells whether there were any.
bool append_safely(std::string& out, std::string_view text) {
  bool escaped = false;
  while (!text.empty()) {
    const Scalar scalar = take_scalar(text);
    if (scalar.length == 0) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(text.front()), 2);
      text.remove_prefix(1);
      escaped = true;
      continue;
    }
    if (is_unsafe(scalar.value)) {
      append_escape(out, scalar.value);
      escaped = true;
    } else {
      out += text.substr(0, scalar.length);
    }
    text.remove_prefix(scalar.length);
  }
  return escaped;
}

bool is_harmless(char c) {
  return is_alnum(c) || std::string_view{"%+,-./:=@_"}.find(c) != std::string_view::npos;
}

/// Edits from a to b, where swapping two neighbours is one edit (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

template <class T>
std::string join_any(std::span<const T> parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text, std::size_t max) {
  const bool cut = text.size() > max;
  if (cut) {
    // Not in the middle of a character.
    while (max > 0 && continues_character(text[max])) --max;
    text = text.substr(0, max);
  }
  std::string out;
  append_safely(out, text);
  if (cut) out += "...";
  return out;
}

std::string quote(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_harmless)) return std::string(text);
  std::string safe;
  if (!append_safely(safe, text)) {
    std::string out = "'";
    for (const char c : safe) {
      if (c == '\'') {
        out += "'\\''";
      } else {
        out += c;
      }
    }
    return out + '\'';
  }
  // $'' needs its own backslashes and quotes escaped too, so the text is walked again.
  std::string out = "$'";
  while (!text.empty()) {
    const Scalar scalar = take_scalar(text);
    const std::size_t length = std::max<std::size_t>(scalar.length, 1);
    if (scalar.length == 1 && (text.front() == '\\' || text.front() == '\'')) out += '\\';
    append_safely(out, text.substr(0, length));
    text.remove_prefix(length);
  }
  return out + '\'';
}

std::string quote_command(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += quote(word);
  }
  return out;
}

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names) {
  constexpr std::size_t kLongest = 64;  // bounds the work on hostile input
  if (word.empty() || word.size() > kLongest) return {};
  std::size_t best = std::numeric_limits<std::size_t>::max();
  std::string_view found;
  const auto same_letter = [](char a, char b) {
    return a == b || ((a ^ b) == 0x20 && ((a | 0x20) >= 'a' && (a | 0x20) <= 'z'));
  };
  for (const std::string_view name : names) {
    if (std::ranges::equal(word, name, same_letter)) return name;
    const std::size_t edits = distance(word, name);
    // A third of the letters may be wrong, but a word that shares nothing is no suggestion.
    const std::size_t allowed = std::max<std::size_t>(1, std::max(word.size(), name.size()) / 3);
    if (edits <= allowed && edits < std::max(word.size(), name.size()) && edits < best) {
      best = edits;
      found = name;
    }
  }
  return found;
}

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const Scalar scalar = take_scalar(text.substr(at));
    if (scalar.length == 0) return at;
    at += scalar.length;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t end = text.find(separator);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::string join(std::span<const std::string_view> parts, std::string_view separator) {
  return join_any(parts, separator);
}
std::string join(std::span<const std::string> parts, std::string_view separator) {
  return join_any(parts, separator);
}

std::string join_some(const std::vector<std::string>& parts, std::size_t most) {
  std::string text = join_any(std::span(parts).first(std::min(parts.size(), most)), ", ");
  if (parts.size() > most) text += " and " + std::to_string(parts.size() - most) + " more";
  return text;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Scalar scalar = take_scalar(text);
    const std::size_t length = std::max<std::size_t>(scalar.length, 1);
    if (scalar.length == 0) {
      out += "\\ufffd";
    } else if (scalar.value == '"' || scalar.value == '\\') {
      out += '\\';
      out += text.front();
    } else if (is_unsafe(scalar.value)) {  // JSON asks for C0 only; terminals show the rest
      append_json_escape(out, scalar.value);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out + '"';
}

void make_safe(std::string& json) {
  // What is_unsafe() names begins with one of these, but for C0.
  constexpr std::string_view kFirst = "\x7f\xc2\xd8\xe2\xef\xf3";
  const std::size_t at = json.find_first_of(kFirst);
  if (at == std::string::npos) return;
  std::string out = json.substr(0, at);
  for (std::string_view rest = std::string_view(json).substr(at); !rest.empty();) {
    const Scalar scalar = take_scalar(rest);
    std::size_t done = std::max<std::size_t>(scalar.length, 1);
    if (scalar.length != 0 && is_unsafe(scalar.value)) {
      append_json_escape(out, scalar.value);
    } else {
      done = std::min(rest.find_first_of(kFirst, done), rest.size());
      out += rest.substr(0, done);
    }
    rest.remove_prefix(done);
  }
  json = std::move(out);
}

}  // namespace sbx
