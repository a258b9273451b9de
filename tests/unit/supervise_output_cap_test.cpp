// Bounded output: head, tail, and what is said between them; meters; encodings.
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "base/base64.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "supervise/encode.hpp"
#include "supervise/output_cap.hpp"
#include "supervise/stream_meter.hpp"

using namespace sbx;
using namespace sbx::supervise;

namespace {

struct Cut {
  std::string now;
  std::string end;
};

Cut cut(std::uint64_t cap, std::string_view text, std::size_t piece) {
  OutputCap limiter(cap);
  Cut result;
  for (std::size_t i = 0; i < text.size(); i += piece)
    result.now += limiter.feed(text.substr(i, piece));
  result.end = limiter.finish();
  return result;
}

}  // namespace

TEST_CASE("a stream within its cap comes out whole") {
  for (std::size_t piece : {1, 2, 3, 7, 100}) {
    for (std::size_t size = 0; size <= 20; ++size) {
      const std::string text = std::string("abcdefghijklmnopqrstuvwxyz").substr(0, size);
      const Cut got = cut(20, text, piece);
      CHECK(got.now + got.end == text);
    }
  }
}

TEST_CASE("a longer stream keeps its head and its tail around one line") {
  for (std::size_t piece : {1, 3, 4, 26}) {
    const Cut got = cut(10, "abcdefghijklmnopqrstuvwxyz", piece);
    CHECK(got.now == "abcde");
    CHECK(got.end == "\n[sbx: 16 bytes dropped]\nvwxyz");
  }
  CHECK(cut(0, "abc", 1).end == "\n[sbx: 3 bytes dropped]\n");
  CHECK(cut(1, "abc", 1).now == "a");
  CHECK(cut(1, "abc", 2).end == "\n[sbx: 2 bytes dropped]\n");
}

TEST_CASE("head and tail are right for random pieces of a long stream") {
  std::mt19937 random(7);
  std::string text(200'000, ' ');
  for (char& byte : text) byte = static_cast<char>('a' + random() % 26);
  OutputCap limiter(10'001);
  std::string now;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t piece = 1 + random() % 9000;
    now += limiter.feed(std::string_view(text).substr(i, piece));
    i += piece;
  }
  CHECK(now == text.substr(0, 5001));
  CHECK(limiter.finish() == "\n[sbx: 189999 bytes dropped]\n" + text.substr(text.size() - 5000));
}

TEST_CASE("the held tail is bounded whatever the cap") {
  OutputCap limiter(std::uint64_t{1} << 40U);
  const std::string text(1U << 20U, 'x');
  for (int i = 0; i < 64; ++i) CHECK(limiter.feed(text).size() == text.size());
}

TEST_CASE("cuts do not split characters") {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  for (std::uint64_t cap = 4; cap < 60; ++cap) {
    const Cut got = cut(cap, text, text.size());
    CAPTURE(cap);
    CHECK(is_utf8(got.now + got.end));
    const std::size_t kept = got.now.size() + got.end.size() - (got.end.rfind(']') + 2);
    CHECK(kept <= cap);
    CHECK(got.end.find("[sbx: " + std::to_string(text.size() - kept) + " bytes") !=
          std::string::npos);
  }
}

TEST_CASE("a meter counts and hashes also what is dropped") {
  MeterRules rules{.hash = true, .keep = true, .cap = 4};
  std::string seen;
  rules.observer = [&seen](std::string_view bytes) { seen += bytes; };
  StreamMeter meter(rules);
  CHECK_FALSE(meter.only_counts());
  CHECK(meter.feed("abcdef") == "ab");
  CHECK(meter.feed("gh").empty());
  const std::string tail = meter.finish();
  const StreamRecord record = meter.take_record();
  CHECK(record.bytes == 8);
  CHECK(record.truncated);
  CHECK(record.captured == "ab\n[sbx: 4 bytes dropped]\ngh");
  CHECK(seen == record.captured);
  CHECK(tail == record.captured.substr(2));
  CHECK(record.sha256 == sha256_hex("abcdefgh"));
}

TEST_CASE("a cap that kills lets just the cap through") {
  StreamMeter meter({.cap = 4, .on_exceed = profile::OnExceed::kill});
  CHECK(meter.feed("abc") == "abc");
  CHECK(meter.feed("d") == "d");
  CHECK_FALSE(meter.must_kill());
  CHECK(meter.feed("ef").empty());
  CHECK(meter.must_kill());
  CHECK(meter.finish().empty());
  CHECK(meter.take_record().truncated);
}

TEST_CASE("captured output is bounded although nobody asked") {
  plan::Supervision how;
  CHECK(StreamMeter(meter_rules(how, std::nullopt)).only_counts());
  how.capture = true;
  how.output.on_exceed = profile::OnExceed::kill;
  const MeterRules rules = meter_rules(how, std::nullopt);
  CHECK(rules.cap == 10U << 20U);
  CHECK(rules.on_exceed == profile::OnExceed::truncate);
  CHECK(meter_rules(how, 5).on_exceed == profile::OnExceed::kill);
}

TEST_CASE("base64 is that of RFC 4648") {
  CHECK(to_base64("").empty());
  CHECK(to_base64("f") == "Zg==");
  CHECK(to_base64("fo") == "Zm8=");
  CHECK(to_base64("foo") == "Zm9v");
  CHECK(to_base64("foobar") == "Zm9vYmFy");
  CHECK(to_base64("\xFF\xFE") == "//4=");
}

TEST_CASE("an incomplete character is found at the end only") {
  CHECK(incomplete_utf8_suffix("abc") == 0);
  CHECK(incomplete_utf8_suffix("a\xFF") == 0);
  CHECK(incomplete_utf8_suffix("a\xC3") == 1);
  CHECK(incomplete_utf8_suffix("a\xC3\xA9") == 0);
  CHECK(incomplete_utf8_suffix("\xE2\x82") == 2);
  CHECK(incomplete_utf8_suffix("\xF0\x9F\x98") == 3);
  CHECK(incomplete_utf8_suffix("\xF0\x9F\x98\x80") == 0);
  CHECK(incomplete_utf8_suffix("\x80\x80\x80\x80") == 0);
}
