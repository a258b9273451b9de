// What is dangerous on a terminal base/text knows; a page has a few invisible characters more.
#include "report/markup.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace sbx::report {
namespace {

enum class Breaks { shown, kept };

/// The character at the front of `bytes` (not empty), or one byte that belongs to none.
std::string_view first_character(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes.front());
  const std::size_t length = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const std::string_view whole = bytes.substr(0, length);
  return is_utf8(whole) ? whole : bytes.substr(0, 1);
}

/// Of well-formed UTF-8.
char32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0);
  char32_t value = byte(0) & (0x7fU >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) value = value << 6U | (byte(i) & 0x3fU);
  return value;
}

/// Characters without a picture of their own that base/text lets pass (Unicode, Default_Ignorable
/// and interlinear annotation), and those that are for private use.
bool is_invisible(char32_t c) {
  struct Range {
    char32_t first, last;
  };
  constexpr std::array<Range, 11> kRanges{{{0xad, 0xad},
                                           {0x61c, 0x61c},
                                           {0x115f, 0x1160},
                                           {0x17b4, 0x17b5},
                                           {0x180b, 0x180f},
                                           {0x3164, 0x3164},
                                           {0xe000, 0xf8ff},
                                           {0xffa0, 0xffa0},
                                           {0xfff0, 0xffff},
                                           {0x1d173, 0x1d17a},
                                           {0xe0000, 0x10ffff}}};
  return std::ranges::any_of(kRanges, [c](Range r) { return c >= r.first && c <= r.last; });
}

/// How `character` is made visible; empty: it is already.
std::string visible(std::string_view character) {
  if (character.front() >= ' ' && character.front() < '\x7f') return {};
  if (character.size() > 1) {
    const char32_t c = code_point(character);
    if (is_invisible(c)) {
      std::array<char, 16> out{};
      (void)std::snprintf(out.data(), out.size(), "\\u%04x", static_cast<unsigned>(c));
      return out.data();
    }
  }
  const std::string shown = printable(character, std::string_view::npos);
  return shown == character ? std::string() : shown;
}

void append_plain(std::string& out, std::string_view character) {
  switch (character.front()) {
    case '&':
      out += "&amp;";
      return;
    case '<':
      out += "&lt;";
      return;
    case '>':
      out += "&gt;";
      return;
    case '"':
      out += "&quot;";
      return;
    case '\'':
      out += "&#39;";
      return;
    default:
      out += character;
  }
}

bool is_break(std::string_view bytes) {
  return bytes.front() == '\n' || bytes.front() == '\t' || bytes.starts_with("\r\n");
}

std::string escaped(std::string_view bytes, Breaks breaks, bool marked) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  bool open = false;
  while (!bytes.empty()) {
    const std::string_view character = first_character(bytes);
    const bool kept = breaks == Breaks::kept && is_break(bytes);
    const std::string shown = kept ? std::string() : visible(character);
    if (marked && open == shown.empty()) {
      // One element for neighbours: a file full of NUL bytes would be a page full of elements.
      out += open ? "</span>" : "<span class=\"e\">";
      open = !open;
    }
    if (!shown.empty()) {
      out += shown;
    } else if (character.front() != '\r') {
      append_plain(out, character);
    }
    bytes.remove_prefix(character.size());
  }
  if (open) out += "</span>";
  return out;
}

}  // namespace

std::string text(std::string_view bytes) { return escaped(bytes, Breaks::shown, true); }

std::string text(std::string_view bytes, std::size_t max) {
  const std::string_view shown = head(bytes, max);
  return text(shown) + (shown.size() < bytes.size() ? "\u2026" : "");
}

std::string lines(std::string_view bytes) { return escaped(bytes, Breaks::kept, true); }

std::string attribute(std::string_view bytes, std::size_t max) {
  const std::string_view shown = head(bytes, max);
  return escaped(shown, Breaks::shown, false) + (shown.size() < bytes.size() ? "\u2026" : "");
}

std::string_view head(std::string_view bytes, std::size_t count) {
  if (bytes.size() <= count) return bytes;
  // At most three steps: what goes on longer is no UTF-8.
  for (int steps = 0; steps < 3 && count > 0 && continues_character(bytes[count]); ++steps) --count;
  return bytes.substr(0, count);
}

std::string_view tail(std::string_view bytes, std::size_t count) {
  if (bytes.size() <= count) return bytes;
  std::size_t first = bytes.size() - count;
  for (int steps = 0; steps < 3 && first < bytes.size() && continues_character(bytes[first]);
       ++steps)
    ++first;
  return bytes.substr(first);
}

}  // namespace sbx::report
