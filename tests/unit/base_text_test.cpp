// Messages show hostile bytes harmlessly; suggestions find misspellings.
#include "base/text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "base/fixed_text.hpp"

using namespace std::string_literals;

TEST_CASE("harmless words are quoted as themselves and others as one shell word") {
  CHECK(sbx::quote("python3") == "python3");
  CHECK(sbx::quote("/usr/bin/x-1.0") == "/usr/bin/x-1.0");
  CHECK(sbx::quote("") == "''");
  CHECK(sbx::quote("a b") == "'a b'");
  CHECK(sbx::quote("it's") == "'it'\\''s'");
  CHECK(sbx::quote("$HOME") == "'$HOME'");
  CHECK(sbx::quote("gr\xc3\xbc\xc3\x9f") == "'gr\xc3\xbc\xc3\x9f'");
}

TEST_CASE("control bytes and invalid UTF-8 never reach the terminal") {
  CHECK(sbx::quote("a\x1b[31m") == "$'a\\x1b[31m'");
  CHECK(sbx::quote("a\nb") == "$'a\\nb'");
  CHECK(sbx::quote("\\'\n") == "$'\\\\\\'\\n'");
  CHECK(sbx::quote("\xff") == "$'\\xff'");
  CHECK(sbx::printable("a\0b"s) == "a\\x00b");
  CHECK(sbx::printable("\xc2\x9b") == "\\u009b");
  CHECK(sbx::printable("\xe2\x80\xae") == "\\u202e");
  CHECK(sbx::printable("a\u061cb") == "a\\u061cb");  // of Arabic, reorders as well
  CHECK(sbx::printable("a\U000e0041\U000e01efb") == "a\\U000e0041\\U000e01efb");  // not seen
  CHECK(sbx::quote("a\U000e0041") == "$'a\\U000e0041'");  // as shells read it
  CHECK(sbx::printable("\u0639\u0644 \U0001f600") == "\u0639\u0644 \U0001f600");
  CHECK(sbx::printable("abcdef", 3) == "abc...");
  CHECK(sbx::printable("a\xc3\xbc", 2) == "a...");
  const std::array<std::string, 3> words{"sh", "-c", "exit 1"};
  CHECK(sbx::quote_command(words) == "sh -c 'exit 1'");
}

TEST_CASE("the nearest name is suggested only when it is near") {
  constexpr std::array<std::string_view, 4> kNames{"memory", "mounts", "mask", "env"};
  CHECK(sbx::nearest_name("memroy", kNames) == "memory");
  CHECK(sbx::nearest_name("mount", kNames) == "mounts");
  CHECK(sbx::nearest_name("msak", kNames) == "mask");
  CHECK(sbx::nearest_name("zzz", kNames).empty());
  CHECK(sbx::nearest_name("", kNames).empty());
  CHECK(sbx::nearest_name(std::string(100000, 'm'), kNames).empty());
}

TEST_CASE("UTF-8 is checked as RFC 3629 has it") {
  CHECK(sbx::is_utf8("plain"));
  CHECK(sbx::is_utf8("\xf0\x9f\x98\x80"));
  CHECK(sbx::find_invalid_utf8("ab\xff") == 2);
  CHECK_FALSE(sbx::is_utf8("\xc0\xaf"));          // overlong
  CHECK_FALSE(sbx::is_utf8("\xed\xa0\x80"));      // surrogate
  CHECK_FALSE(sbx::is_utf8("\xf4\x90\x80\x80"));  // past U+10FFFF
  CHECK_FALSE(sbx::is_utf8("\xe2\x82"));          // cut off
}

TEST_CASE("text is split, joined and trimmed") {
  const auto parts = sbx::split("a,,b", ',');
  REQUIRE(parts.size() == 3);
  CHECK(parts[1].empty());
  CHECK(sbx::join(parts, "-") == "a--b");
  CHECK(sbx::split("", ',').size() == 1);
  CHECK(sbx::trim(" \t x y\n") == "x y");
  CHECK(sbx::trim(" \n").empty());
}

TEST_CASE("JSON strings are escaped") {
  CHECK(sbx::json_string("a\"b\\\n\x7f") == R"("a\"b\\\u000a\u007f")");
  CHECK(sbx::json_string("\xff") == R"("\ufffd")");
  CHECK(sbx::json_string("a\u202eb\u0085\u00e9") == "\"a\\u202eb\\u0085\u00e9\"");
  CHECK(sbx::json_string("\u061c\U000e0041\U0001f600") == "\"\\u061c\\udb40\\udc41\U0001f600\"");
}

TEST_CASE("what a terminal obeys is escaped in JSON that is there already") {
  const auto safe = [](std::string json) {
    sbx::make_safe(json);
    return json;
  };
  CHECK(safe("\"a\u009b1m\x7f\u00a0\u202eb\ufeff\"") ==
        "\"a\\u009b1m\\u007f\u00a0\\u202eb\\ufeff\"");
  CHECK(safe("\"a\u061cb\u0639\U000e0041\U0001f600\"") ==
        "\"a\\u061cb\u0639\\udb40\\udc41\U0001f600\"");
  CHECK(safe("{\"\u00e9\u20ac\": 1}") == "{\"\u00e9\u20ac\": 1}");
  CHECK(safe("\u2028\xe2\x80") == "\\u2028\xe2\x80");
  CHECK(safe("").empty());
}

TEST_CASE("an error says where, what, the errno and what to try") {
  const sbx::Error error{sbx::ErrorKind::setup, "cannot bind /usr", "step 14/31", "try root",
                         EPERM};
  CHECK(error.to_string() ==
        "step 14/31: cannot bind /usr: Operation not permitted (EPERM)\n  try root");
  CHECK(sbx::Origin{"a.yaml", 3, 7}.to_string() == "a.yaml:3:7");
  CHECK(sbx::Origin{"--memory"}.to_string() == "--memory");
}

TEST_CASE("short text is put together without allocation, and always ends in a 0") {
  sbx::FixedText<16> text;
  CHECK(text.view().empty());
  text.add("/proc/").add(42).add("/").add(-1);
  CHECK(text.view() == "/proc/42/-1");
  CHECK(std::strlen(text.c_str()) == text.view().size());
  CHECK(sbx::FixedText<8>().add(0755U, 8).view() == "755");
  CHECK(sbx::FixedText<21>().add(std::numeric_limits<std::uint64_t>::max()).view() ==
        "18446744073709551615");
  CHECK(sbx::FixedText<4>().add("abc").view() == "abc");
}
