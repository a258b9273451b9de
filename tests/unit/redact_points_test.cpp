// Characters of a secret that are printed as code points: one beyond U+FFFF is a pair of \u in
// JSON, or one \U, and a pair that is none stands for its halves.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "redact/stream.hpp"
#include "redact_forms.hpp"

using namespace redact_testing;
using sbx::redact::build_matcher;
using sbx::redact::Counts;
using sbx::redact::Needle;
using sbx::redact::Reader;
using sbx::redact::redact_text;
using sbx::redact::Stream;

namespace {

constexpr std::string_view kMask = "[redacted:k]";
constexpr std::string_view kSmile = "pass\xf0\x9f\x98\x80word";

std::string masked(std::string_view value, std::string_view text) {
  Counts counts;
  return redact_text(**build_matcher(std::vector<Needle>{{"k", std::string(value)}}, {}), text,
                     counts);
}

/// Cut in two at every place, and into single bytes, as a later reader sees it.
void check_cuts(std::string_view value, const std::string& text, std::string_view expected) {
  const auto matcher = *build_matcher(std::vector<Needle>{{"k", std::string(value)}}, {});
  const auto piecewise = [&](const std::vector<std::string_view>& pieces) {
    Stream stream(matcher, Reader::later);
    std::string out;
    for (const std::string_view piece : pieces) stream.feed(piece, out);
    stream.finish(out);
    return out;
  };
  std::vector<std::string_view> bytes;
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    const std::string_view all = text;
    CHECK_MESSAGE(piecewise({all.substr(0, cut), all.substr(cut)}) == expected, text, " at ", cut);
    bytes.push_back(all.substr(cut, 1));
  }
  CHECK_MESSAGE(piecewise(bytes) == expected, text);
}

std::string utf8(std::uint32_t point) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xC0 | (point >> 6U)), byte(0x80 | (point & 63U))};
  if (point < 0x10000)
    return {byte(0xE0 | (point >> 12U)), byte(0x80 | ((point >> 6U) & 63U)),
            byte(0x80 | (point & 63U))};
  return {byte(0xF0 | (point >> 18U)), byte(0x80 | ((point >> 12U) & 63U)),
          byte(0x80 | ((point >> 6U) & 63U)), byte(0x80 | (point & 63U))};
}

std::string number(const char* how, std::uint32_t value) {
  std::array<char, 16> text{};
  static_cast<void>(std::snprintf(text.data(), text.size(), how, value));
  return text.data();
}

/// As it stands, or escaped in one of the ways that JSON and Python have.
std::string spelled(std::uint32_t point, Dice& dice) {
  const std::size_t way = dice.below(4);
  if (way == 0) return utf8(point);
  if (way == 1) return number(dice.often() ? "\\U%08x" : "\\U%08X", point);
  const auto unit = [&](std::uint32_t value) {
    return number(dice.often() ? "\\u%04x" : "\\u%04X", value);
  };
  if (point < 0x10000) return unit(point);
  return unit(0xD800 + ((point - 0x10000) >> 10U)) + unit(0xDC00 + ((point - 0x10000) & 0x3FFU));
}

}  // namespace

TEST_CASE("a character beyond U+FFFF as JSON has it, in every spelling") {
  for (const std::string_view pair :
       {R"(\ud83d\ude00)", R"(\uD83D\uDE00)", R"(\uD83d\ude00)", R"(\ud83d\uDE00)", R"(\U0001f600)",
        R"(\U0001F600)", R"(\xf0\x9f\x98\x80)", "\xf0\x9f\x98\x80"}) {
    const std::string text = "\"pass" + std::string(pair) + "word\".";
    CHECK(masked(kSmile, text) == "\"[redacted:k]\".");
    check_cuts(kSmile, text, "\"[redacted:k]\".");
  }
  CHECK(masked(kSmile, R"(\u0070ass\ud83d\ude00w\u006frd)") == kMask);
  CHECK(masked("\xf0\x9f\x98\x80", R"(\ud83d\ude00)") == kMask);
  CHECK(masked("\xf0\x90\x80\x80", R"(\ud800\udc00)") == kMask);
  CHECK(masked("\xf4\x8f\xbf\xbf", R"(\udbff\udfff)") == kMask);
}

TEST_CASE("half of a pair whose other half does not come takes nothing from what follows it") {
  for (const std::string_view before :
       {R"(\ud83d)", R"(\ud83d\ud83d)", R"(\ude00)", R"(\ud83d\)", R"(\ud83d\n)", R"(\ud83d\u)",
        R"(\ud83d\ud)", R"(\ud83d\ud8)", R"(\ud83d\ude0)", R"(\ud83d\u0041)", R"(\ud83d-)"}) {
    // After half an escape, a letter that is no digit, so that it stays half.
    const std::string text = std::string(before) + R"(pass\ud83d\ude00word.)";
    check_cuts(kSmile, text, std::string(before) + "[redacted:k].");
    const std::string escape = std::string(before) + R"(\u0070ass\ud83d\ude00word.)";
    if (!before.ends_with('\\')) check_cuts(kSmile, escape, std::string(before) + "[redacted:k].");
  }
  for (const std::string_view other :
       {R"(pass\ud83d\ude01word)", R"(pass\ud83dword)", R"(pass\ude00word)",
        R"(pass\ude00\ud83dword)", R"(pass\ud83d \ude00word)", R"(pass\U00110000word)",
        R"(pass\U0001f60word)"})
    check_cuts(kSmile, std::string(other) + ".", std::string(other) + ".");
}

TEST_CASE("of a stream that ends within a pair no half is shown") {
  for (std::size_t size = 4; size < std::string_view(R"(pass\ud83d\ude00word)").size(); ++size)
    CHECK_MESSAGE(masked(kSmile, std::string(R"(pass\ud83d\ude00word)").substr(0, size)) == kMask,
                  size);
}

TEST_CASE("random characters in random spellings, cut anywhere") {
  constexpr std::uint32_t kPoints[] = {'a',    '0',    'd',     '"',     '/',     'u',
                                       0xE9,   0x7FF,  0x800,   0x20AC,  0xD7FF,  0xE000,
                                       0xFFFD, 0xFFFF, 0x10000, 0x1F600, 0x1F64F, 0x10FFFF};
  Dice dice(20261128);
  for (int round = 0; round < 300; ++round) {
    std::string value = "s";
    std::string text = R"(.\ud83d)";
    text += 's';
    for (std::size_t i = 3 + dice.below(6); i > 0; --i) {
      const std::uint32_t point = kPoints[dice.below(std::size(kPoints))];
      value += utf8(point);
      text += spelled(point, dice);
    }
    check_cuts(value, text + ".", std::string(R"(.\ud83d)").append(kMask).append("."));
  }
}
