#include "redact/shape_judge.hpp"

#include <algorithm>

namespace sbx::redact {
namespace {

constexpr ByteSet kWord("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
constexpr ByteSet kHex("0123456789ABCDEFabcdef");
constexpr ByteSet kColour("0123456789;");
constexpr ByteSet kSigns(" \t\"'\\:=>");  // between a name and its value
constexpr ByteSet kLabel("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ");
constexpr ByteSet kJwtPart("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
/// Base64, headers, and what JSON, YAML, shells and mail put around lines.
constexpr ByteSet kPemBody(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-:,. \t\r\n\\\"'>|");

constexpr std::size_t kMaxSigns = 12;
constexpr std::size_t kMaxJwtHeader = 2048;
constexpr std::size_t kMaxLabel = 64;
constexpr std::string_view kDashes = "-----";
constexpr std::string_view kPemEnd = "-----END ";

constexpr Judged kNo{};
constexpr Judged kMore{.verdict = Verdict::more};

/// As many bytes of `set` as there are from `from` on, `most` at most.
std::size_t run_length(const ByteSet& set, std::string_view text, std::size_t from,
                       std::size_t most) {
  std::size_t length = 0;
  while (length < most && from + length < text.size() && set.has(text[from + length])) ++length;
  return length;
}

/// Is `word` at `from`? `more`: as far as can be seen.
Verdict has_word(std::string_view text, std::size_t from, std::string_view word, bool last) {
  const std::string_view there = text.substr(from, word.size());
  if (there == word) return Verdict::yes;
  return !last && from + there.size() == text.size() && word.starts_with(there) ? Verdict::more
                                                                                : Verdict::no;
}

Judged judge_run(const Shape& shape, std::string_view text, std::size_t from, bool last) {
  const std::size_t begin = from + shape.prefix.size();
  const std::size_t length = run_length(*shape.set, text, begin, shape.min);
  if (length == shape.min) return {Verdict::yes, from, begin + length, true};
  return begin + length == text.size() && !last ? kMore : kNo;
}

Judged judge_exact(const Shape& shape, std::string_view text, std::size_t start, std::size_t begin,
                   bool last) {
  const std::size_t end = begin + run_length(*shape.set, text, begin, shape.min);
  if (end == text.size() && !last) return kMore;
  if (end - begin < shape.min) return kNo;
  if (end < text.size() && (shape.set->has(text[end]) || kWord.has(text[end]))) return kNo;
  return {Verdict::yes, start, end, false};
}

Judged judge_assigned(const Shape& shape, std::string_view text, std::size_t from, bool last) {
  const std::size_t after = from + shape.prefix.size();
  const std::size_t signs = run_length(kSigns, text, after, kMaxSigns);
  if (after + signs == text.size() && !last) return kMore;
  if (signs == 0) return kNo;
  return judge_exact(shape, text, after + signs, after + signs, last);
}

Judged judge_jwt(const Shape& shape, std::string_view text, std::size_t from, std::size_t known,
                 bool last) {
  const std::size_t begin = from + shape.prefix.size();
  const std::size_t most = begin + kMaxJwtHeader;
  std::size_t dot = std::clamp(known, begin, most);
  dot += run_length(kJwtPart, text, dot, most - dot);
  Judged judged{.known = dot};
  if (dot == text.size()) {
    judged.verdict = last ? Verdict::no : Verdict::more;
  } else if (dot - begin >= shape.min && text[dot] == '.') {
    judged.verdict = has_word(text, dot + 1, shape.prefix, last);
    judged.start = from;
    judged.end = dot + 1 + shape.prefix.size();
    judged.open = true;
  }
  return judged;
}

Judged judge_pem(const Shape& shape, std::string_view text, std::size_t from, bool last) {
  const std::size_t begin = from + shape.prefix.size();
  const std::size_t length = run_length(kLabel, text, begin, kMaxLabel);
  const Verdict dashes = has_word(text, begin + length, kDashes, last);
  if (dashes != Verdict::yes) return {.verdict = dashes};
  if (text.substr(begin, length).find("PRIVATE KEY") == std::string_view::npos) return kNo;
  return {Verdict::yes, from, begin + length + kDashes.size(), true};
}

/// The line that ends a key: its length; 0: it is another.
std::optional<std::size_t> pem_end(std::string_view text, std::size_t from, bool last) {
  const Verdict begins = has_word(text, from, kPemEnd, last);
  if (begins == Verdict::more) return std::nullopt;
  if (begins == Verdict::no) return 0;
  const std::size_t label = kPemEnd.size();
  const std::size_t length = label + run_length(kLabel, text, from + label, kMaxLabel);
  const Verdict ends = has_word(text, from + length, kDashes, last);
  if (ends == Verdict::more) return std::nullopt;
  return length + (ends == Verdict::yes ? kDashes.size() : 0);
}

Ending pem_ending(std::string_view text, std::size_t from, bool last) {
  for (std::size_t at = from; at < text.size(); ++at) {
    if (!kPemBody.has(text[at])) return {.at = at, .found = true};
    if (text[at] != '-') continue;
    const Verdict dashes = has_word(text, at, kDashes, last);
    if (dashes == Verdict::no) continue;
    const std::optional<std::size_t> length =
        dashes == Verdict::more ? std::nullopt : pem_end(text, at, last);
    if (!length) return {.at = at, .certain = false};
    return {.at = at + *length, .found = true};
  }
  return {.at = text.size()};
}

}  // namespace

Judged judge(const Shape& shape, std::string_view text, std::size_t from, std::size_t known,
             bool last) {
  const Verdict prefix = has_word(text, from, shape.prefix, last);
  if (prefix != Verdict::yes) return {.verdict = prefix};
  switch (shape.kind) {
    case ShapeKind::run:
      return judge_run(shape, text, from, last);
    case ShapeKind::exact:
      return judge_exact(shape, text, from, from + shape.prefix.size(), last);
    case ShapeKind::assigned:
      return judge_assigned(shape, text, from, last);
    case ShapeKind::jwt:
      return judge_jwt(shape, text, from, known, last);
    case ShapeKind::pem:
      return judge_pem(shape, text, from, last);
  }
  return kNo;
}

bool at_word_start(std::string_view text, std::size_t from) {
  if (from == 0 || !kWord.has(text[from - 1])) return true;
  const char before = text[from - 1];
  if (from >= 2 && text[from - 2] == '\\') return before == 'n' || before == 't' || before == 'r';
  if (from >= 3 && text[from - 3] == '%') return kHex.has(before) && kHex.has(text[from - 2]);
  if (before != 'm') return false;
  std::size_t at = from - 1;
  while (at > 0 && kColour.has(text[at - 1])) --at;
  return at >= 2 && text[at - 1] == '[' && text[at - 2] == '\x1b';
}

Ending ending(const Shape& shape, std::string_view text, std::size_t from, bool last) {
  if (shape.kind == ShapeKind::pem) return pem_ending(text, from, last);
  const std::size_t end = from + run_length(*shape.set, text, from, text.size());
  return {.at = end, .found = end < text.size()};
}

}  // namespace sbx::redact
