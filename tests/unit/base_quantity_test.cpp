// Sizes and durations: what is read, what is refused, and that formats read back.
#include "base/quantity.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using sbx::format_bytes;
using sbx::format_duration;
using sbx::parse_bytes;
using sbx::parse_duration;
using sbx::parse_signed_duration;
using std::chrono::milliseconds;

TEST_CASE("sizes with units are read exactly") {
  CHECK(parse_bytes("256M").value() == 268435456U);
  CHECK(parse_bytes("256MiB").value() == 268435456U);
  CHECK(parse_bytes("50MB").value() == 50000000U);
  CHECK(parse_bytes("1.5G").value() == 1610612736U);
  CHECK(parse_bytes("1.5KB").value() == 1500U);
  CHECK(parse_bytes("1kB").value() == 1000U);
  CHECK(parse_bytes("0").value() == 0U);
  CHECK(parse_bytes("0B").value() == 0U);
  CHECK(parse_bytes("12B").value() == 12U);
  CHECK(parse_bytes("1T").value() == 1099511627776U);
}

TEST_CASE("sizes that are ambiguous, broken or too large are refused") {
  for (const char* text :
       {"",         "512", "M",     "5m",   "5 M",  "-1M",   "+1M",
        "1.M",      ".5M", "1..5M", "0.3B", "1e3M", "0x10M", "99999999999999999999M",
        "8388608T", "1Mi", "1MBit", "1M ",  "1,5M", "nan",   "inf"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_bytes(text).has_value());
  }
  CHECK(parse_bytes("512").error().find("needs a unit") != std::string::npos);
}

TEST_CASE("a unit that others have is no riddle") {
  CHECK(parse_bytes("1Mi").error().contains("did you mean M?"));
  CHECK(parse_bytes("1gb").error().contains("did you mean GB?"));
  CHECK_FALSE(parse_bytes("1x").error().contains("did you mean"));
  CHECK(sbx::parse_duration("1h30min").error().contains("did you mean m?"));
}

TEST_CASE("a rate is a size a second") {
  CHECK(sbx::parse_rate("10M/s").value() == 10485760U);
  CHECK(sbx::parse_rate("1.5MB/s").value() == 1500000U);
  CHECK(sbx::format_rate(10485760) == "10M/s");
  for (const char* text : {"", "10M", "10/s", "0/s", "0M/s", "/s", "10M/m", "10M/s/s", "-1M/s"})
    CHECK_FALSE(sbx::parse_rate(text).has_value());
}

TEST_CASE("durations with units are read exactly") {
  CHECK(parse_duration("200ms").value() == milliseconds{200});
  CHECK(parse_duration("1.5s").value() == milliseconds{1500});
  CHECK(parse_duration("2m").value() == milliseconds{120000});
  CHECK(parse_duration("1h").value() == milliseconds{3600000});
  CHECK(parse_duration("7d").value() == milliseconds{604800000});
  CHECK(parse_duration("1m30s").value() == milliseconds{90000});
  CHECK(parse_duration("0").value() == milliseconds{0});
  CHECK(parse_duration("0s").value() == milliseconds{0});
  CHECK(parse_signed_duration("-3d").value() == milliseconds{-259200000});
  CHECK(parse_signed_duration("+1s").value() == milliseconds{1000});
}

TEST_CASE("durations that are ambiguous, broken or too long are refused") {
  for (const char* text : {"", "10", "s", "-1s", "10 s", "1.5ms", "30s1m", "1s1s", "5us", "1e3s",
                           "1w", "10sec", "999999999999999999d", "1s-1ms", "--1s", "0.0001s"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_duration(text).has_value());
  }
  CHECK_FALSE(parse_signed_duration("--1s").has_value());
  CHECK_FALSE(parse_signed_duration("-").has_value());
}

TEST_CASE("a size of two numbers is told as that, not as an unknown unit") {
  for (const char* text : {"1G 5M", "1G5M", "1G512"})
    CHECK(parse_bytes(text).error() ==
          "the size `" + std::string(text) +
              "` is more than one number and one unit; write it as one, as in 1536M");
}

TEST_CASE("a blank between units is named, and what was meant is offered") {
  CHECK(parse_duration("5m 3s").error() ==
        "a blank stands between the units of the duration `5m 3s`; write 5m3s");
  CHECK(parse_duration("1h 30m 5s ").error().ends_with("; write 1h30m5s"));
  CHECK(parse_duration("3s 5m").error().ends_with("; take it out, as in 1h30m"));
}

TEST_CASE("formatted quantities are short and read back the same") {
  CHECK(format_bytes(536870912) == "512M");
  CHECK(format_bytes(50000000) == "50MB");
  CHECK(format_bytes(0) == "0");
  CHECK(format_bytes(1) == "1B");
  CHECK(format_duration(milliseconds{90000}) == "1m30s");
  CHECK(format_duration(milliseconds{1500}) == "1s500ms");
  CHECK(format_duration(milliseconds{-259200000}) == "-3d");
  for (const std::uint64_t bytes : {1ULL, 999ULL, 1000ULL, 1023ULL, 1024ULL, 1536ULL, 1500000ULL,
                                    123456789ULL, 9223372036854775807ULL}) {
    CHECK(parse_bytes(format_bytes(bytes)).value() == bytes);
  }
  for (const std::int64_t ms :
       {std::int64_t{1}, std::int64_t{-1}, std::int64_t{999}, std::int64_t{86400001},
        std::numeric_limits<std::int64_t>::max() / 2}) {
    CHECK(parse_signed_duration(format_duration(milliseconds{ms})).value() == milliseconds{ms});
  }
}

TEST_CASE("a number is all of the text or none") {
  CHECK(sbx::parse_number<unsigned>("0") == 0U);
  CHECK(sbx::parse_number<int>("-7") == -7);
  CHECK(sbx::parse_number<std::uint64_t>("ff", 16) == 255U);
  for (const char* text : {"", " 1", "1 ", "+1", "1.0", "0x1", "4294967296", "-1"})
    CHECK_FALSE(sbx::parse_number<std::uint32_t>(text).has_value());
}
