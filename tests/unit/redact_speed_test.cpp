// How fast redaction is, on ordinary text and on text made to be slow, in CPU time, the best of
// several rounds.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "redact/stream.hpp"
#include "redact_forms.hpp"

using namespace redact_testing;
using sbx::redact::build_matcher;
using sbx::redact::Matcher;
using sbx::redact::Needle;
using sbx::redact::Stream;

namespace {

using Shared = std::shared_ptr<const Matcher>;

constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kSize = 256U << 10U;
#else
constexpr std::size_t kSize = 4U << 20U;
#endif
constexpr double kOrdinary = 200;

double cpu_seconds() {
  timespec now{};
  REQUIRE(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The shortest of some rounds.
double seconds(int rounds, const std::function<void()>& work) {
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const double start = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - start);
  }
  return best;
}

/// In pieces as a pipe gives them.
double megabytes_a_second(const Shared& matcher, const std::string& text) {
  std::string out;
  const double time = seconds(5, [&] {
    Stream stream(matcher);
    for (std::size_t at = 0; at < text.size(); at += 65536) {
      out.clear();
      stream.feed(std::string_view(text).substr(at, 65536), out);
    }
    out.clear();
    stream.finish(out);
  });
  return static_cast<double>(text.size()) / 1e6 / time;
}

std::string filled(const std::function<std::string()>& piece) {
  std::string text;
  while (text.size() < kSize) text += piece();
  text.resize(kSize);
  return text;
}

std::vector<Needle> twenty_secrets(Dice& dice) {
  std::vector<Needle> needles;
  needles.reserve(21);
  for (int i = 0; i < 20; ++i)
    needles.push_back({"s" + std::to_string(i), dice.of(kLetters, 20 + dice.below(81))});
  return needles;
}

std::string pem(Dice& dice, std::size_t size) {
  std::string key = "-----BEGIN PRIVATE KEY-----\n";
  while (key.size() < size) key += dice.of(kLetters, 64) + "\n";
  return key + "-----END PRIVATE KEY-----\n";
}

/// Of the bounds, on this build and host (SBX_TEST_SLOW: tests/support/slow.py).
double fraction() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr double kBuild = 0.02;  // sanitizers: only that nothing is quadratic
#else
  constexpr double kBuild = 1.0;
#endif
  const char* slow = std::getenv("SBX_TEST_SLOW");
  return slow == nullptr ? kBuild : kBuild / std::max(1.0, std::strtod(slow, nullptr));
}

/// What text that is made to be slow must reach: half of what it does, as hosts differ.
constexpr double kHostile = 100;
/// The same of URL-encoded text, which two lanes read, and in each of whose escapes something
/// wanted may begin: 105 on the host whose hostile text does 140 to 230.
constexpr double kInPercents = 50;

void check_speed(const std::string& what, const Shared& matcher, const std::string& text,
                 double wanted) {
  // A busy host takes part of every round from us; what is slow stays so in all of them.
  constexpr int kMeasures = 5;
  double speed = 0;
  for (int measure = 0; measure < kMeasures && speed < wanted * fraction(); ++measure)
    speed = std::max(speed, megabytes_a_second(matcher, text));
  MESSAGE(what << ": " << static_cast<int>(speed) << " MB/s");
  CHECK_MESSAGE(speed >= wanted * fraction(), what);
}

std::string words(Dice& dice) {
  return filled([&] {
    std::string line;
    while (line.size() < 70) line += dice.of("etaoinshrdlucmfwypvbgkjqxz", 1 + dice.below(9)) + " ";
    return line + (dice.below(5) == 0 ? "0x7f3a, 127;\n" : ".\n");
  });
}

}  // namespace

TEST_CASE("speed: twenty secrets, ordinary text") {
  Dice dice(1);
  const Shared matcher = build_matcher(twenty_secrets(dice), {}).value();
  const std::vector<std::string> all{"all"};
  const Shared with_patterns = build_matcher(twenty_secrets(dice), all).value();
  const std::string text = words(dice);
  check_speed("words", matcher, text, kOrdinary);
  check_speed("words, with all patterns", with_patterns, text, kOrdinary);
  check_speed("JSON lines", matcher, filled([&] {
                return R"({"level":"info","msg":"read \"a b\" from C:\\x\n","n":)" +
                       std::to_string(dice.below(100000)) + ",\"at\":\"2024-06-07\"}\n";
              }),
              kOrdinary);
  check_speed("base64", matcher, filled([&] { return base64(dice.of(kLetters, 57)) + "\n"; }),
              kOrdinary);
  check_speed("hex dump", matcher, filled([&] { return hex(dice.of(kLetters, 32)) + "\n"; }),
              kOrdinary);
  check_speed("random bytes", matcher, filled([&] {
                std::string bytes(64, '\0');
                for (char& c : bytes) c = static_cast<char>(dice.below(256));
                return bytes;
              }),
              kOrdinary);
}

TEST_CASE("speed: twenty secrets, text full of what is nearly one") {
  Dice dice(2);
  const std::vector<Needle> needles = twenty_secrets(dice);
  const std::vector<std::string> all{"all"};
  const Shared matcher = build_matcher(needles, all).value();
  const auto beginning = [&](std::size_t least) {
    const std::string& value = needles[dice.below(needles.size())].value;
    return value.substr(0, least + dice.below(value.size() - least));
  };
  check_speed("beginnings", matcher, filled([&] { return beginning(3); }), kHostile);
  check_speed("long beginnings", matcher, filled([&] { return beginning(19); }), kHostile);
  check_speed("beginnings in base64", matcher, filled([&] { return base64(beginning(5)); }),
              kHostile);
  check_speed("beginnings in hex", matcher, filled([&] { return hex(beginning(3)); }), kHostile);
  check_speed("beginnings in percents", matcher, filled([&] { return dice.percent(beginning(3)); }),
              kInPercents);
  check_speed("all in percents", matcher, filled([&] {
                std::string text;
                for (const char c : beginning(3)) text += "%" + hex(std::string(1, c));
                return text;
              }),
              kHostile);
  check_speed("beginnings in JSON", matcher, filled([&] { return dice.json(beginning(3)); }),
              kHostile);
  check_speed("nothing but secrets", matcher, filled([&] { return needles[dice.below(20)].value; }),
              kHostile);
  check_speed("key prefixes", matcher, filled([&] { return std::string("sk-x eyJ.AIza-glpat- "); }),
              kHostile);
  check_speed("beginnings of tokens", matcher, filled([] { return std::string("-eyJ"); }),
              kHostile);
}

TEST_CASE("speed: periodic secrets, periodic text") {
  std::vector<Needle> needles;
  for (std::size_t i = 0; i < 20; ++i) {
    std::string value;
    while (value.size() < 40 + 3 * i) value += "ab";
    needles.push_back({"p" + std::to_string(i), value + (i % 2 == 0 ? "c" : "abd")});
  }
  needles.push_back({"short", "abab"});
  const Shared matcher = build_matcher(needles, {}).value();
  const std::string text = filled([] { return std::string("ab"); });
  check_speed("periodic", matcher, text, kHostile);
  check_speed("periodic, in base64", matcher, base64(text.substr(0, kSize / 4 * 3)), kHostile);
  check_speed("periodic, in hex", matcher, hex(text.substr(0, kSize / 2)), kHostile);
  check_speed("one byte repeated", matcher, std::string(kSize, 'a'), kHostile);
  check_speed("escapes only", matcher, std::string(kSize, '%'), kHostile);
  check_speed("backslashes only", matcher, std::string(kSize, '\\'), kHostile);
  check_speed("line ends only", matcher, std::string(kSize, '\n'), kHostile);
}

TEST_CASE("speed: one byte at a time, and a long secret held") {
  Dice dice(4);
  const std::string value = dice.of(kLetters, 60U << 10U);
  const Shared matcher = build_matcher(std::vector<Needle>{{"long", value}}, {}).value();
  const std::string text = value.substr(0, value.size() - 1);
  std::string out;
  const double time = seconds(3, [&] {
    Stream stream(matcher);
    for (int i = 0; i < 4; ++i)
      for (const char c : text) stream.feed(std::string_view(&c, 1), out);
  });
  const double speed = static_cast<double>(text.size()) * 4 / 1e6 / time;
  MESSAGE("one byte at a time: " << speed << " MB/s");
  CHECK(speed > 2 * fraction());
}

TEST_CASE("speed: a matcher of 20 secrets of 100 bytes and a private key of 4 KiB") {
  Dice dice(5);
  std::vector<Needle> needles;
  needles.reserve(21);
  for (int i = 0; i < 20; ++i) needles.push_back({"s" + std::to_string(i), dice.of(kLetters, 100)});
  needles.push_back({"key", pem(dice, 4096)});
  const double time = seconds(5, [&] { REQUIRE(build_matcher(needles, {}).has_value()); });
  MESSAGE("to build: " << time * 1e3 << " ms");
  CHECK(time < 0.020 / fraction());
  const Shared matcher = build_matcher(needles, {}).value();
  check_speed("words, with a private key", matcher, words(dice), kOrdinary);
}
