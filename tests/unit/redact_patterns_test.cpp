// Keys of known shape: found in full, and nothing that only looks a little like one. The keys are
// put together here, so that no tool takes this file for a leak.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "redact/patterns.hpp"
#include "redact/stream.hpp"
#include "redact_forms.hpp"

using namespace redact_testing;
using sbx::redact::build_matcher;
using sbx::redact::Counts;
using sbx::redact::Stream;

namespace {

constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

const std::vector<std::string> kAll{"all"};

std::string whole(std::string_view text, const std::vector<std::string>& patterns = kAll) {
  Counts counts;
  return sbx::redact::redact_text(**build_matcher({}, patterns), text, counts);
}

std::string by_bytes(std::string_view text, std::size_t size) {
  Stream stream(*build_matcher({}, kAll));
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += size) stream.feed(text.substr(i, size), out);
  stream.finish(out);
  return out;
}

std::string some(std::size_t length, std::string_view alphabet = kLetters) {
  return Dice(static_cast<unsigned>(length)).of(alphabet, length);
}

std::string pem(std::string_view kind, std::size_t lines) {
  std::string text = "-----BEGIN " + std::string(kind) + "-----\n";
  for (std::size_t i = 0; i < lines; ++i) text += some(64) + "\n";
  return text + "-----END " + std::string(kind) + "-----";
}

struct Key {
  std::string name;
  std::string text;
};

std::vector<Key> keys() {
  const std::string jwt = "eyJ" + some(33) + ".eyJ" + some(80) + "." + some(43, "abc-_XYZ");
  return {{"aws", "AKIA" + some(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")},
          {"aws", "ASIA" + some(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")},
          {"openai", "sk-" + some(48)},
          {"openai", "sk-proj-" + some(120, "abcXYZ019-_")},
          {"anthropic", "sk-ant-api03-" + some(93, "abcXYZ019-_") + "AA"},
          {"github", "ghp_" + some(36)},
          {"github", "ghs_" + some(36)},
          {"github", "github_pat_" + some(22) + "_" + some(59)},
          {"gitlab", "glpat-" + some(20)},
          {"slack", "xoxb-" + some(12, "0123456789") + "-" + some(24)},
          {"google", "AIza" + some(35, "abcXYZ019-_")},
          {"stripe", "sk_live_" + some(24)},
          {"stripe", "rk_live_" + some(99)},
          {"npm", "npm_" + some(36)},
          {"pypi", "pypi-" + some(160, "abcXYZ019-_")},
          {"jwt", jwt},
          {"pem", pem("PRIVATE KEY", 20)},
          {"pem", pem("RSA PRIVATE KEY", 40)},
          {"pem", pem("OPENSSH PRIVATE KEY", 5)}};
}

/// `out` has the name's mask for the key, before which at most three bytes of it are shown.
bool hides(const std::string& out, const Key& key, std::string_view before,
           std::string_view after) {
  for (std::size_t shown = 0; shown <= 3; ++shown)
    if (out == std::string(before) + key.text.substr(0, shown) + "[redacted:" + key.name + "]" +
                   std::string(after))
      return true;
  return false;
}

}  // namespace

TEST_CASE("every shape is found, between all sorts of neighbours, however it is cut") {
  for (const Key& key : keys())
    for (const std::string_view before : {"", "key=", "\"", "\\n", "\x1b[1;32m", "a%3D", "(", "\n"})
      for (const std::string_view after : {"", "\n", "\" ", " and more", "\r\n$ "}) {
        const std::string text = std::string(before) + key.text + std::string(after);
        CAPTURE(text);
        CHECK(whole(text) ==
              std::string(before) + "[redacted:" + key.name + "]" + std::string(after));
        for (const std::size_t size : {1U, 2U, 7U, 33U})
          CHECK(hides(by_bytes(text, size), key, before, after));
      }
}

TEST_CASE("a token is found among many that may begin, and is as long as one can be") {
  constexpr std::size_t kMost = 2048;  // of its first part
  std::string before;
  for (int i = 0; i < 1000; ++i) before += "-eyJ";
  const std::string text = before + ".eyJ" + some(20) + "\n" + before + " ";
  const std::size_t first = (before.size() - kMost) / 4 * 4 - 3;  // the first "eyJ" within reach
  const std::string after = "\n" + before + " ";
  CHECK(whole(text) == before.substr(0, first) + "[redacted:jwt]" + after);
  for (const std::size_t size : {1U, 7U, 1500U, 4003U})
    CHECK(hides(by_bytes(text, size), {"jwt", "eyJ"}, before.substr(0, first), after));
}

TEST_CASE("an AWS secret is known by the name before it, which stays") {
  const std::string secret = some(40, "abcXYZ019+/");
  CHECK(whole("aws_secret_access_key = " + secret + "\n") ==
        "aws_secret_access_key = [redacted:aws]\n");
  CHECK(whole("export AWS_SECRET_ACCESS_KEY=\"" + secret + "\"") ==
        "export AWS_SECRET_ACCESS_KEY=\"[redacted:aws]\"");
  CHECK(whole("\"SecretAccessKey\": \"" + secret + "\",") ==
        "\"SecretAccessKey\": \"[redacted:aws]\",");
  CHECK(whole("aws_secret_access_key = ${FROM_ENV}") == "aws_secret_access_key = ${FROM_ENV}");
}

TEST_CASE("what only looks a little like a key stays") {
  const std::string publics = pem("PUBLIC KEY", 4);
  const std::string certificate = pem("CERTIFICATE", 4);
  for (const std::string& text : std::vector<std::string>{
           "task-" + some(48),
           "disk-" + some(48),
           std::string("sk-learn and sk-image"),
           std::string("risk-averse"),
           "sk-" + some(20),
           "xghp_" + some(36),
           "ghp_" + some(20),
           "AKIA" + some(12, "ABC"),
           "AKIA" + some(17, "ABCDEF"),
           "XAKIA" + some(16, "ABC"),
           "AIza" + some(20),
           "AIza" + some(36),
           "xoxb-short",
           "npm_config_registry",
           std::string("pypi-mirror.example.org"),
           "eyJ" + some(40),
           "eyJ" + some(20) + ".txt",
           std::string("-----BEGIN"),
           std::string("-----"),
           "glpat-" + some(10),
           publics,
           certificate,
           std::string("--------------------------------------------------------")}) {
    CAPTURE(text);
    CHECK(whole(text) == text);
    CHECK(by_bytes(text, 1) == text);
    CHECK(by_bytes(text + "\n", 3) == text + "\n");
  }
}

TEST_CASE("a private key without an end is masked as far as it can be one") {
  const std::string text = "-----BEGIN PRIVATE KEY-----\n" + some(64) + "\n";
  CHECK(whole(text) == "[redacted:pem]");
  CHECK(whole(text + "<p>other</p>") == "[redacted:pem]<p>other</p>");
  CHECK(whole(text + "-----BEGIN OTHER-----") == "[redacted:pem]-----BEGIN OTHER-----");
  const std::string out = whole(text + std::string(100'000, 'a'));
  CHECK(out.size() > 60'000);
  CHECK(out.size() < 70'000);
}

TEST_CASE("only the patterns that are named, and known ones") {
  const std::string both = "ghp_" + some(36) + " npm_" + some(36);
  CHECK(whole(both, {"npm"}) == "ghp_" + some(36) + " [redacted:npm]");
  CHECK(whole(both, {}) == both);
  const auto made = build_matcher({}, std::vector<std::string>{"githib"});
  REQUIRE(!made.has_value());
  CHECK(made.error().kind == sbx::ErrorKind::profile);
  CHECK(made.error().to_line().find("did you mean 'github'?") != std::string::npos);

  const auto named = sbx::redact::pattern_names();
  CHECK(named.back() == "all");
  for (const Key& key : keys()) CHECK(std::ranges::count(named, key.name) == 1);
}
