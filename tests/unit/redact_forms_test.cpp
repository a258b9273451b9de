// Each form of a secret that is found, by example; what is let out at the end of a piece and of the
// stream; and which secrets are refused.
#include <doctest/doctest.h>

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
using sbx::redact::redact_part;
using sbx::redact::redact_text;
using sbx::redact::Stream;

namespace {

std::string redacted(const std::vector<Needle>& needles, std::string_view text) {
  Counts counts;
  return redact_text(**build_matcher(needles, {}), text, counts);
}

/// Of one secret with the name k.
std::string masked(std::string_view value, std::string_view text) {
  return redacted({{"k", std::string(value)}}, text);
}

constexpr std::string_view kSecret = "p@ss w0rd/\"7\"";
constexpr std::string_view kMask = "[redacted:k]";

std::string in_pieces(const std::vector<std::string>& pieces, const std::vector<Needle>& needles) {
  Stream stream(*build_matcher(needles, {}));
  std::string out;
  for (const std::string& piece : pieces) {
    stream.feed(piece, out);
    out += '|';
  }
  stream.finish(out);
  return out;
}

std::string refusal(const std::vector<Needle>& needles) {
  const auto made = build_matcher(needles, {});
  REQUIRE(!made.has_value());
  CHECK(made.error().kind == sbx::ErrorKind::profile);
  return made.error().to_line();
}

}  // namespace

TEST_CASE("of a part, what its ends cut in two is masked as well") {
  const auto matcher = *build_matcher(std::vector<Needle>{{"k", std::string(kSecret)}}, {});
  const std::string coded = "cEBzcyB3MHJkLyI3Ig";
  for (const std::string& form : {std::string(kSecret), coded}) {
    std::string text = "before ";
    text.append(form).append(" between ").append(form).append(form).append(" after");
    struct Region {
      std::size_t start, end;
    };
    std::vector<Region> regions;
    for (std::size_t at = text.find(form); at != std::string::npos; at = text.find(form, at + 1))
      regions.push_back({at, at + form.size()});
    REQUIRE(regions.size() == 3);
    for (std::size_t from = 0; from <= text.size(); ++from)
      for (std::size_t to = from; to <= text.size(); ++to) {
        std::string expected;
        std::size_t at = from;
        for (const Region& region : regions) {
          if (region.end <= from || region.start >= to) continue;
          if (region.start > at) expected += text.substr(at, region.start - at);
          expected += kMask;
          at = region.end;
        }
        if (at < to) expected += text.substr(at, to - at);
        CHECK_MESSAGE(redact_part(*matcher, text, from, to) == expected, from, " ", to);
      }
  }
}

TEST_CASE("of a part, matches that overlap outside of it are one mask inside") {
  const auto matcher =
      *build_matcher(std::vector<Needle>{{"a", "abcdefgh"}, {"b", "fghijklm"}}, {});
  const std::string text = ".abcdefghijklm.";
  CHECK(redact_part(*matcher, text, 0, text.size()) == ".[redacted:a].");
  CHECK(redact_part(*matcher, text, 10, text.size()) == "[redacted:a].");
  CHECK(redact_part(*matcher, text, 10, 12) == "[redacted:a]");
  CHECK(redact_part(*matcher, text, 14, 15) == ".");
  CHECK(redact_part(*matcher, text, 0, 3) == ".[redacted:a]");
}

TEST_CASE("a secret as it stands, and nothing else") {
  CHECK(masked(kSecret, "a p@ss w0rd/\"7\" b") == "a [redacted:k] b");
  CHECK(masked(kSecret, "p@ss w0rd/\"8\"") == "p@ss w0rd/\"8\"");
  CHECK(masked("line\n", "a line of text") == "a [redacted:k] of text");
  CHECK(redacted({}, "anything") == "anything");
}

TEST_CASE("base64 in both alphabets, at every alignment, padded or not, wrapped") {
  for (const std::string_view before : {"", "a", "ab", "abc", "user:"})
    for (const bool url_safe : {false, true})
      for (const bool padded : {false, true}) {
        const std::string text =
            base64(std::string(before) + "\xff?>~p@ss" + "tail", url_safe, padded);
        CAPTURE(text);
        const std::string out = masked("\xff?>~p@ss", text);
        CHECK(out.find(kMask) != std::string::npos);
        CHECK(out.size() <= before.size() * 4 / 3 + kMask.size() + 8);
      }
  const std::string secret = Dice(1).of("abcdef0123456789", 200);
  for (const std::string_view line_end : {"\n", "\r\n", "\r\r\n"})
    CHECK(masked(secret, wrapped(base64(secret, false, false), 76, line_end)) == kMask);
}

TEST_CASE("hex in both cases, wrapped, with separators") {
  const std::string digits = hex(kSecret);
  CHECK(masked(kSecret, "0x" + digits + "00") == "0x[redacted:k]00");
  CHECK(masked(kSecret, hex(kSecret, true)) == kMask);
  CHECK(masked(kSecret, "a" + digits) == "a[redacted:k]");
  for (const std::string_view between : {"\n", "\r\n", " ", ":", "-"})
    CHECK(masked(kSecret, wrapped(digits, 2, between)) == kMask);
}

TEST_CASE("URL-encoding, whole or in part, with + for a space") {
  CHECK(masked(kSecret, "?q=p%40ss+w0rd%2F%227%22&b") == "?q=[redacted:k]&b");
  CHECK(masked(kSecret, "p%40ss%20w0rd%2f%227%22") == kMask);
  CHECK(masked(kSecret, "%70@ss w0rd%2f\"%37\"") == kMask);
  CHECK(masked("a+b c", "a%2Bb+c a+b%20c a+b c") == "[redacted:k] [redacted:k] [redacted:k]");
  CHECK(masked("100%40", "100%40 100%2540") == "[redacted:k] [redacted:k]");
}

TEST_CASE("URL-encoding that is not read where it begins: a % before it, by chance or on purpose") {
  CHECK(masked("ab/cdefgh", "100%ab%2Fcdefgh.") == "100%[redacted:k].");
  CHECK(masked("ab/cdefgh", "%1ab%2fcdefg%68.") == "%1[redacted:k].");
  CHECK(masked("9d1f0c7d", "%9d%31%66%30%63%37%64.") == "%[redacted:k].");
  CHECK(masked("61aaaaaaaa", "%61%61%61%61%61%61%61%61%61.") == "%[redacted:k].");
  CHECK(masked("ab/cdefgh", "%ab%ab%2Fcdefgh.") == "%ab%[redacted:k].");
  CHECK(masked("ab/cdefgh", "%ab%2Fcdef%ab%2Fcdefgh.") == "%ab%2Fcdef%[redacted:k].");
  const std::vector<Needle> needles{{"k", "ab/cdefgh"}};
  CHECK(in_pieces({"%", "ab%2", "Fcdef", "gh."}, needles) == "%|ab%||[redacted:k].|");
  CHECK(in_pieces({"%ab%2Fcd"}, needles).find("ab%2F") == std::string::npos);
}

TEST_CASE("strings of JSON, C, Python and shells") {
  CHECK(masked(kSecret, R"("p@ss w0rd/\"7\"")") == "\"[redacted:k]\"");
  CHECK(masked(kSecret, R"(p@ss w0rd\/\"7\")") == kMask);
  CHECK(masked("a\nb\tc\\d", R"(a\nb\tc\\d)") == kMask);
  CHECK(masked("key<&>", R"(key\u003c\u0026\u003E)") == kMask);
  CHECK(masked("caf\xc3\xa9!", R"(caf\u00e9!)") == kMask);
  CHECK(masked("caf\xc3\xa9!", R"(caf\xc3\xa9!)") == kMask);
  CHECK(masked("caf\xc3\xa9!", R"(caf\303\251!)") == kMask);
}

TEST_CASE("a value of several lines: as a whole, with CRLF, and line by line") {
  const std::string key =
      "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\nBKc=\n"
      "-----END PRIVATE KEY-----\n";
  const std::vector<Needle> needles{{"k", key}};
  CHECK(redacted(needles, key) == "[redacted:k]\n");
  std::string crlf;
  for (const char c : key) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  CHECK(redacted(needles, crlf) == "[redacted:k]\r\n");
  CHECK(redacted(needles, "  hkiG9w0BAQEFAASC,") == "  [redacted:k],");
  CHECK(redacted(needles, "x" + base64("hkiG9w0BAQEFAASC", false, false)) == "x[redacted:k]");
  CHECK(redacted(needles, "BKc= -----END PRIVATE KEY-----") == "BKc= -----END PRIVATE KEY-----");
}

TEST_CASE("overlapping, nested and repeated secrets") {
  CHECK(masked("aaab", "aaaaaab") == "aaa[redacted:k]");
  const std::vector<Needle> needles{{"short", "abab"}, {"long", "ababcdcd"}, {"tail", "cdcdef"}};
  CHECK(redacted(needles, "ababababab.") == "[redacted:short].");
  CHECK(redacted(needles, "xababcdcd.") == "x[redacted:long].");
  CHECK(redacted(needles, "ababcdcdef.") == "[redacted:long].");
  CHECK(redacted(needles, "ababcdcef.") == "[redacted:short]cdcef.");
  CHECK(redacted(needles, "ababcdcdefabab.") == "[redacted:long][redacted:short].");
  Counts counts;
  redact_text(**build_matcher(needles, {}), "ababcdcd abab abab", counts);
  CHECK(counts == Counts{{"long", 1}, {"short", 2}});
}

TEST_CASE("what waits at the end of a piece, and what becomes of it at the end of the stream") {
  const std::vector<Needle> needles{{"k", "secret"}};
  CHECK(in_pieces({"sec", "ret."}, needles) == "sec|[redacted:k].|");
  CHECK(in_pieces({"secr", "et."}, needles) == "sec|[redacted:k].|");
  CHECK(in_pieces({"secre", "x."}, needles) == "sec|rex.|");
  CHECK(in_pieces({"a", "s", "e", "c", "r", "e", "t"}, needles) == "a|s|e|c|||[redacted:k]|");
  CHECK(in_pieces({"secre"}, needles) == "sec|[redacted:k]");
  CHECK(in_pieces({"xsec"}, needles) == "xsec|");
  CHECK(in_pieces({"$ "}, needles) == "$ |");
  CHECK(in_pieces({"secret"}, needles) == "[redacted:k]|");
}

TEST_CASE("for a later reader nothing of a secret is let out") {
  const auto matcher = *build_matcher(std::vector<Needle>{{"k", "secret"}}, {});
  for (const Reader reader : {Reader::waiting, Reader::later}) {
    Stream stream(matcher, reader);
    std::string out;
    stream.feed("a secr", out);
    stream.feed("et", out);
    stream.finish(out);
    CHECK(out == (reader == Reader::later ? "a [redacted:k]" : "a sec[redacted:k]"));
  }
}

TEST_CASE("a stream can be used again after its end, and counts go on") {
  Stream stream(*build_matcher(std::vector<Needle>{{"k", "secret"}}, {}));
  std::string out;
  stream.feed("a secret, sec", out);
  stream.finish(out);
  stream.feed("ret secret", out);
  stream.finish(out);
  CHECK(out == "a [redacted:k], secret [redacted:k]");
  CHECK(stream.counts() == Counts{{"k", 2}});
  CHECK(stream.total() == 2);
}

TEST_CASE("the line end behind digits that may be a secret's first stays") {
  // In base64, from the middle of '9' on, "92e" has the first letter of the value.
  const auto matcher =
      build_matcher(std::vector<Needle>{{"k", "v+d1a5a3dc6835a479ed9c44ad/95fd492e"}}, {});
  REQUIRE(matcher);
  Counts counts;
  CHECK(redact_text(**matcher, "hello 492e\n", counts) == "hello 492e\n");
  CHECK(redact_text(**matcher, "v+d1a5a3dc6835a479ed9c44ad/95fd492e\n", counts) ==
        "[redacted:k]\n");
}

TEST_CASE("of digits at the end only those are masked with which a secret may go on") {
  // "MI" and the first two bits of the next "I", from the middle of a digit on. In "NNSS" those two
  // are others, so that it depended on the cuts whether anything looked at it.
  const auto matcher = *build_matcher(std::vector<Needle>{{"k", "abab"}, {"k", "MIIEabab"}}, {});
  Counts counts;
  CHECK(redact_text(*matcher, "hrNNAa.NNSU\n", counts) == "hrNNAa.[redacted:k]\n");
  const std::string other = "s`\n/AWghrNNAaNNNNWghrNNAaNNNNSS\n";
  for (std::size_t cut = 0; cut <= other.size(); ++cut) {
    Stream stream(matcher, Reader::later);
    std::string out;
    stream.feed(other.substr(0, cut), out);
    stream.feed(other.substr(cut), out);
    stream.finish(out);
    CHECK_MESSAGE(out == other, cut);
  }
}

TEST_CASE("half a byte in hex that a secret does not go on with ends what has begun") {
  const auto matcher = *build_matcher(std::vector<Needle>{{"k", "abcd"}}, {});
  Counts counts;
  CHECK(redact_text(*matcher, ".61626", counts) == ".[redacted:k]");
  for (std::size_t cut = 0; cut <= 6; ++cut) {
    Stream stream(matcher, Reader::later);
    std::string out;
    stream.feed(std::string(".61629").substr(0, cut), out);
    stream.feed(std::string(".61629").substr(cut), out);
    stream.finish(out);
    CHECK_MESSAGE(out == ".61629", cut);
  }
}

TEST_CASE("secrets that cannot be blotted out are refused") {
  CHECK(refusal({{"pin", "123"}}).find("'pin' is too short") != std::string::npos);
  CHECK(refusal({{"pin", "123\n"}}).find("redact: false") != std::string::npos);
  CHECK(refusal({{"big", std::string(65537, 'a')}}).find("'big' is too large") !=
        std::string::npos);
  CHECK(build_matcher(std::vector<Needle>{{"ok", std::string(65536, 'a')}}, {}).has_value());
  std::vector<Needle> many;
  many.reserve(17);
  Dice dice(1);
  for (int i = 0; i < 16; ++i)
    many.push_back({"s", dice.of("0123456789abcdefghijklmnopqrstuvwxyz", 65536)});
  CHECK(refusal(many).find("too large") != std::string::npos);
  many.push_back({"one more", "1234"});
  CHECK(refusal(many).find("'one more' makes all of them larger than") != std::string::npos);
}

TEST_CASE("in the middle of digits, at every place, cut anywhere") {
  for (std::size_t size = 4; size <= 12; ++size) {
    const std::string value = std::string("\x9dq}\x81z~\x95w{\x8ex|").substr(0, size);
    const std::vector<Needle> needles{{"k", value}};
    for (std::size_t before = 0; before < 24; ++before) {
      const std::string others(before, 'U');
      const std::string after(24, 'U');
      for (const std::string& text : {std::string(before, '5') + hex(value) + std::string(24, '5'),
                                      base64(others + value + after)}) {
        CAPTURE(size);
        CAPTURE(text);
        CHECK(redacted(needles, text).find(kMask) != std::string::npos);
        for (std::size_t cut = 0; cut <= text.size(); ++cut)
          CHECK(in_pieces({text.substr(0, cut), text.substr(cut)}, needles).find(kMask) !=
                std::string::npos);
      }
    }
  }
}
