// The promise of redaction against chance: random secrets in random forms, between random bytes,
// cut anywhere. What must be masked is found by another way (redact_testing.hpp).
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redact/stream.hpp"
#include "redact_forms.hpp"
#include "redact_testing.hpp"

using namespace redact_testing;
using sbx::redact::build_matcher;
using sbx::redact::Counts;
using sbx::redact::Needle;
using sbx::redact::redact_text;
using sbx::redact::Stream;

namespace {

struct Case {
  std::vector<std::string> values;
  std::string text;
};

/// Nothing that begins like a secret: what would be masked at the end of a stream is another test.
constexpr std::string_view kEnd = "~~~~.";

std::string secret(Dice& dice) {
  constexpr std::string_view kAlphabets[] = {
      "ab", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "0123456789abcdef",
      "aB3 +/%\\\"\n=&-_", "sk-ANT"};
  const std::size_t length = 4 + (dice.below(4) == 0 ? dice.below(100) : dice.below(16));
  std::string value = dice.of(kAlphabets[dice.below(std::size(kAlphabets))], length);
  if (value.back() == '\n') value.back() = 'n';
  return value;
}

Case random_case(Dice& dice) {
  Case made;
  for (std::size_t i = 1 + dice.below(4); i > 0; --i) {
    made.values.push_back(secret(dice));
    // One that begins, ends or overlaps like another.
    const std::string last = made.values.back();
    const std::size_t part = dice.below(last.size());
    if (dice.below(4) == 0) made.values.push_back(last.substr(part) + secret(dice));
    if (dice.below(4) == 0 && part >= 4 && last[part - 1] != '\n')
      made.values.push_back(last.substr(0, part));
  }
  for (std::size_t i = dice.below(6); i > 0; --i) {
    const std::string& value = made.values[dice.below(made.values.size())];
    made.text += dice.of("ab \n.,-:s=A0k%%", dice.below(12));
    if (dice.below(4) == 0) made.text += value.substr(0, dice.below(value.size()));  // a near miss
    if (made.text.ends_with('\\') || dice.often()) made.text += ' ';
    made.text += dice.any_form(value);
  }
  made.text += kEnd;
  return made;
}

/// A backslash is read from its beginning, as everybody reads it; a random neighbour that changes
/// where it begins makes another text.
bool ambiguous(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i)
    if (text[i] == '\\' && text[i - 1] == '\\') return true;
  return false;
}

std::vector<Needle> needles_of(const std::vector<std::string>& values) {
  std::vector<Needle> needles;
  needles.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    needles.push_back({"s" + std::to_string(i), values[i]});
  return needles;
}

template <class Feed>
void in_pieces(std::string_view text, Dice& dice, const Feed& feed) {
  const std::size_t most = dice.below(3) == 0 ? 1 : 1 + dice.below(40);
  while (!text.empty()) {
    const std::size_t size = std::min(text.size(), 1 + dice.below(most));
    feed(text.substr(0, size));
    text.remove_prefix(size);
  }
}

std::string streamed(const Case& one, Dice& dice) {
  auto matcher = build_matcher(needles_of(one.values), {});
  REQUIRE(matcher.has_value());
  Stream stream(*matcher);
  std::string out;
  in_pieces(one.text, dice, [&](std::string_view piece) { stream.feed(piece, out); });
  stream.finish(out);
  return out;
}

std::string shown(const Case& one, const std::string& out) {
  std::string text = "text: " + one.text + "\nout: " + out;
  for (const std::string& value : one.values) text += "\nsecret: " + value;
  return text;
}

/// The control: every piece is searched for the values by itself.
std::string naive(const Case& one, Dice& dice) {
  std::string out;
  in_pieces(one.text, dice, [&](std::string_view piece) {
    std::string masked(piece);
    for (const std::string& value : one.values)
      for (std::size_t at = 0; (at = masked.find(value, at)) != std::string::npos;)
        masked.replace(at, value.size(), "[redacted:s]");
    out += masked;
  });
  return out;
}

}  // namespace

TEST_CASE("10,000 random streams: no four bytes of a secret, and nothing else is changed") {
  Dice dice(20240607);
  std::size_t secrets = 0;
  std::size_t naive_fails = 0;
  for (int round = 0; round < 10'000;) {
    const Case one = random_case(dice);
    if (ambiguous(one.text)) continue;
    ++round;
    const std::vector<Span> spans = occurrences(one.text, with_lines(one.values));
    secrets += spans.size();
    CAPTURE(round);
    const std::string out = streamed(one, dice);
    const auto problem = wrong(one.text, spans, out, 3);
    if (problem) FAIL_CHECK(*problem << "\n" << shown(one, out));
    if (wrong(one.text, spans, naive(one, dice), 3)) ++naive_fails;

    Counts counts;
    const std::string whole =
        redact_text(**build_matcher(needles_of(one.values), {}), one.text, counts);
    const auto whole_problem = wrong(one.text, spans, whole, 0);
    if (whole_problem) FAIL_CHECK("whole: " << *whole_problem << "\n" << shown(one, whole));
    std::size_t counted = 0;
    for (const auto& [name, count] : counts) counted += count;
    CHECK(counted == spans.size());
  }
  MESSAGE(secrets << " secrets; a search of each piece by itself fails in " << naive_fails);
  CHECK(secrets > 10'000);
  CHECK(naive_fails > 5'000);
}
