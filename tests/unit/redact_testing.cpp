#include "redact_testing.hpp"

#include <algorithm>
#include <array>

namespace redact_testing {
namespace {

int hex_digit(char c) {
  const std::string_view digits = "0123456789abcdef0123456789ABCDEF";
  const std::size_t at = digits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at % 16);
}

int base64_digit(char c) {
  if (c == '-') return 62;
  if (c == '_') return 63;
  const std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t at = digits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

/// Digits that stand for the value's bits, of which the first has `skip` bits that do not.
std::optional<std::size_t> as_digits(std::string_view text, std::size_t from,
                                     std::string_view value, std::size_t bits, std::size_t skip) {
  const bool hex = bits == 4;
  const std::string_view gaps = hex ? "\r\n :-" : "\r\n";
  std::size_t at = from;
  std::size_t gap = 0;
  std::size_t known = 0;  // bits of the value
  for (; known < value.size() * 8; ++at) {
    if (at == text.size()) return std::nullopt;
    if (gaps.find(text[at]) != std::string_view::npos) {
      if (at == from || ++gap > 3) return std::nullopt;
      continue;
    }
    gap = 0;
    const int digit = hex ? hex_digit(text[at]) : base64_digit(text[at]);
    if (digit < 0) return std::nullopt;
    for (std::size_t bit = skip; bit < bits && known < value.size() * 8; ++bit, ++known) {
      const bool is = ((digit >> (bits - 1 - bit)) & 1) != 0;
      const auto byte = static_cast<unsigned char>(value[known / 8]);
      if (is != (((byte >> (7 - known % 8)) & 1) != 0)) return std::nullopt;
    }
    skip = 0;
  }
  return at;
}

/// How long an escape for exactly these first bytes of `rest` is, and for how many of them it is.
struct Escape {
  std::size_t length = 0;
  std::size_t bytes = 0;
};

std::optional<Escape> percent(std::string_view text, std::string_view rest, bool form) {
  if (form && text.starts_with("+")) {
    if (rest[0] == ' ') return Escape{1, 1};
    return Escape{};
  }
  if (text.size() < 3 || text[0] != '%' || hex_digit(text[1]) < 0 || hex_digit(text[2]) < 0)
    return std::nullopt;
  const int byte = hex_digit(text[1]) * 16 + hex_digit(text[2]);
  return byte == static_cast<unsigned char>(rest[0]) ? Escape{3, 1} : Escape{};
}

std::optional<Escape> backslash(std::string_view text, std::string_view rest) {
  constexpr std::array<std::string_view, 2> kLetters{"ntrbfvae\"'/\\", "\n\t\r\b\f\v\a\x1b\"'/\\"};
  if (text.size() < 2 || text[0] != '\\') return std::nullopt;
  const std::size_t letter = kLetters[0].find(text[1]);
  if (letter != std::string_view::npos)
    return kLetters[1][letter] == rest[0] ? Escape{2, 1} : Escape{};
  if (text[1] == 'u' && text.size() >= 6) {
    unsigned code = 0;
    for (std::size_t i = 2; i < 6; ++i) {
      if (hex_digit(text[i]) < 0) return std::nullopt;
      code = code * 16 + static_cast<unsigned>(hex_digit(text[i]));
    }
    if (code < 0x80) return static_cast<unsigned char>(rest[0]) == code ? Escape{6, 1} : Escape{};
    return Escape{};  // the tests' secrets have no other character
  }
  if (text[1] == 'x' && text.size() >= 4 && hex_digit(text[2]) >= 0 && hex_digit(text[3]) >= 0) {
    const int code = hex_digit(text[2]) * 16 + hex_digit(text[3]);
    return static_cast<unsigned char>(rest[0]) == code ? Escape{4, 1} : Escape{};
  }
  return std::nullopt;
}

enum class How { plain, percent, form, backslash };

std::optional<std::size_t> as_text(std::string_view text, std::size_t from, std::string_view value,
                                   How how) {
  std::size_t at = from;
  for (std::size_t known = 0; known < value.size();) {
    const std::string_view here = text.substr(at);
    const std::string_view rest = value.substr(known);
    std::optional<Escape> escape;
    if (how == How::backslash) escape = backslash(here, rest);
    if (how == How::percent || how == How::form) escape = percent(here, rest, how == How::form);
    if (!escape && !here.empty() && here[0] == rest[0]) escape = Escape{1, 1};
    if (!escape || escape->bytes == 0) return std::nullopt;
    at += escape->length;
    known += escape->bytes;
  }
  return at;
}

}  // namespace

std::vector<std::size_t> ends_of(std::string_view text, std::size_t from, std::string_view value) {
  std::vector<std::size_t> ends;
  const auto add = [&](const std::optional<std::size_t>& end) {
    if (end) ends.push_back(*end);
  };
  for (const How how : {How::plain, How::percent, How::form, How::backslash})
    add(as_text(text, from, value, how));
  for (const std::size_t skip : {0U, 2U, 4U}) add(as_digits(text, from, value, 6, skip));
  add(as_digits(text, from, value, 4, 0));
  return ends;
}

std::vector<std::string> with_lines(const std::vector<std::string>& values) {
  std::vector<std::string> all = values;
  for (const std::string& value : values) {
    if (value.find('\n') == std::string::npos) continue;
    std::string crlf;
    std::string line;
    for (const char c : value + "\n") {
      if (c != '\n') {
        crlf += c;
        line += c;
        continue;
      }
      crlf += "\r\n";
      while (line.ends_with(' ')) line.pop_back();
      line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
      if (line.size() >= 8) all.push_back(line);
      line.clear();
    }
    all.push_back(crlf.substr(0, crlf.size() - 2));
  }
  return all;
}

std::vector<Span> occurrences(std::string_view text, const std::vector<std::string>& values) {
  std::vector<Span> spans;
  for (std::size_t from = 0; from < text.size(); ++from) {
    std::size_t end = 0;
    for (const std::string& value : values)
      for (const std::size_t one : ends_of(text, from, value)) end = std::max(end, one);
    if (end == 0) continue;
    if (!spans.empty() && spans.back().end > from)
      spans.back().end = std::max(spans.back().end, end);
    else
      spans.push_back({from, end});
  }
  return spans;
}

std::optional<std::string> wrong(std::string_view text, const std::vector<Span>& spans,
                                 std::string_view out, std::size_t let_out) {
  constexpr std::string_view kMask = "[redacted:";
  std::size_t in_text = 0;
  std::size_t in_out = 0;
  const auto same = [&](std::size_t length) {
    if (text.substr(in_text, length) != out.substr(in_out, length)) return false;
    in_text += length;
    in_out += length;
    return true;
  };
  for (const Span& span : spans) {
    if (!same(span.start - in_text)) return "what stands before a secret is changed";
    std::size_t shown = 0;
    while (shown <= let_out && !out.substr(in_out + shown).starts_with(kMask)) ++shown;
    if (shown > let_out) return std::to_string(shown) + " bytes of a secret or more are shown";
    if (!same(shown)) return "what is let out is something else";
    const std::size_t end = out.find(']', in_out);
    if (end == std::string_view::npos) return "a mask does not end";
    in_out = end + 1;
    in_text = span.end;
  }
  if (text.substr(in_text) != out.substr(in_out)) return "what stands after the last is changed";
  return std::nullopt;
}

}  // namespace redact_testing
