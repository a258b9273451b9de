// Whatever bytes come in: no tag, no end of an attribute, and nothing invisible comes out.
#include "report/markup.hpp"

#include <doctest/doctest.h>

#include <array>
#include <random>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "report/figures.hpp"

using namespace sbx::report;
using namespace std::string_literals;

namespace {

/// `html` without the one element that markup makes.
std::string without_marks(std::string html) {
  for (const std::string_view mark : {"<span class=\"e\">", "</span>"}) {
    for (std::size_t at = html.find(mark); at != std::string::npos; at = html.find(mark))
      html.erase(at, mark.size());
  }
  return html;
}

constexpr std::string_view kOpen = "<span class=\"e\">";

}  // namespace

TEST_CASE("markup becomes text") {
  CHECK(text("</script><b a=\"1\" c='2'>&amp;") ==
        "&lt;/script&gt;&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
  CHECK(attribute("\"><img onerror=x>") == "&quot;&gt;&lt;img onerror=x&gt;");
  CHECK(lines("<a href=\"javascript:x\">") == "&lt;a href=&quot;javascript:x&quot;&gt;");
}

TEST_CASE("UTF-7 stays the ASCII that it is") {
  CHECK(text("+ADw-script+AD4-") == "+ADw-script+AD4-");
}

TEST_CASE("what nobody can see is shown as an escape") {
  const auto shown = [](std::string_view bytes) { return without_marks(text(bytes)); };
  CHECK(shown("a\0b"s) == "a\\x00b");
  CHECK(shown("\x1b[31m\x7f") == "\\x1b[31m\\x7f");
  CHECK(shown("\u202egnp.exe") == "\\u202egnp.exe");
  CHECK(shown("\u2066\u2028\u2029\u200b\ufeff\u061c\u00ad") ==
        "\\u2066\\u2028\\u2029\\u200b\\ufeff\\u061c\\u00ad");
  CHECK(shown("\U000e0041\ue000\u3164") == "\\ue0041\\ue000\\u3164");
  CHECK(shown("\xff\xc0\xaf\xed\xa0\x80") == "\\xff\\xc0\\xaf\\xed\\xa0\\x80");
  CHECK(shown("line\nend\ttab\r") == "line\\nend\\ttab\\r");
  CHECK(shown("gr\u00fc\u00df, \u4e2d, \U0001f600") == "gr\u00fc\u00df, \u4e2d, \U0001f600");
}

TEST_CASE("escapes are marked, neighbours by one element, and not in attributes") {
  CHECK(text("a\0\0b"s) == "a" + std::string(kOpen) + "\\x00\\x00</span>b");
  CHECK(text("\x01") == std::string(kOpen) + "\\x01</span>");
  CHECK(attribute("\x01\u202e") == "\\x01\\u202e");
}

TEST_CASE("lines keep their ends and tabs") {
  CHECK(lines("a\r\nb\n\tc") == "a\nb\n\tc");
  CHECK(without_marks(lines("50 %\r100 %\n")) == "50 %\\r100 %\n");
}

TEST_CASE("cuts fall between characters and are told") {
  CHECK(text("abcdef", 3) == "abc\u2026");
  CHECK(text("abc", 3) == "abc");
  CHECK(head("a\u00fc", 2) == "a");
  CHECK(tail("\u00fca", 2) == "a");
  CHECK(head("\x80\x80\x80\x80\x80\x80", 5).size() >= 2);  // no UTF-8: cut anywhere
  CHECK(tail("abc", 9) == "abc");
}

TEST_CASE("random bytes never make an element, and come out as UTF-8") {
  std::mt19937 random(7);
  constexpr std::string_view kLikely = "<>\"'&/=\0\r\n\t -!\xe2\x80\xae\xc3\xff";
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 40; ++i)
      bytes += random() % 2 == 0 ? kLikely[random() % kLikely.size()] : static_cast<char>(random());
    for (const std::string& html : {text(bytes), lines(bytes), attribute(bytes)}) {
      CHECK(sbx::is_utf8(html));
      const std::string rest = without_marks(html);
      CHECK(rest.find_first_of("<>\"'") == std::string::npos);
      CHECK(rest.find('\0') == std::string::npos);
    }
  }
}

TEST_CASE("base64 there and back") {
  CHECK(sbx::to_base64("") == "");
  CHECK(sbx::to_base64("f") == "Zg==");
  CHECK(sbx::to_base64("foobar") == "Zm9vYmFy");
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  CHECK(sbx::from_base64(sbx::to_base64(all)) == all);
  CHECK(sbx::from_base64("Zg==") == "f");
  CHECK_FALSE(sbx::from_base64("Zg="));
  CHECK_FALSE(sbx::from_base64("Z\"=="));
}

TEST_CASE("figures read well at every size") {
  CHECK(bytes_text(std::uint64_t{0}) == "0 B");
  CHECK(bytes_text(std::uint64_t{1023}) == "1023 B");
  CHECK(bytes_text(std::uint64_t{1536}) == "1.5 KiB");
  CHECK(bytes_text((std::uint64_t{1} << 20U) - 1) == "1 MiB");
  CHECK(bytes_text(~std::uint64_t{0}) == "16 EiB");
  CHECK(time_text(0) == "0 ms");
  CHECK(time_text(0.25) == "0.25 ms");
  CHECK(time_text(999.6) == "1 s");
  CHECK(time_text(60'012) == "1 min");
  CHECK(time_text(125'000) == "2 min 5 s");
  CHECK(time_text(12'000'000) == "3 h 20 min");
  CHECK(time_text(1e300).ends_with(" h"));
  CHECK(time_text(-1) == "?");
  CHECK(count_text(0) == "0");
  CHECK(count_text(1234567) == "1,234,567");
  CHECK(counted(1, "file") == "1 file");
  CHECK(number_text(1.50, 2) == "1.5");
  CHECK(number_text(-0.001, 1) == "0");
}
