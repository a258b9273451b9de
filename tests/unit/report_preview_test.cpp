// What artifacts are shown as: by their bytes, within bounds, never as markup.
#include "report/preview.hpp"

#include <doctest/doctest.h>

#include <array>
#include <random>

#include "base/text.hpp"
#include "report/card.hpp"
#include "report/csv.hpp"
#include "report/json_layout.hpp"
#include "report/picture.hpp"

using namespace sbx::report;
using namespace std::string_literals;
using Row = std::vector<std::string>;

namespace {

std::string png(std::string_view size) {
  return "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"s + std::string(size) + "rest";
}

Shape shape(std::string path, std::string_view content, std::string media_type = "") {
  return shape_of({.path = std::move(path), .media_type = std::move(media_type)}, content);
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

TEST_CASE("CSV: quotes, line ends in quotes, empty cells") {
  CHECK(read_table("a,b\n1,2\n", ',').rows == std::vector<Row>{{"a", "b"}, {"1", "2"}});
  CHECK(read_table("a,\"b \"\"c\"\",\nd\"\r\n,\n", ',').rows ==
        std::vector<Row>{{"a", "b \"c\",\nd"}, {"", ""}});
  CHECK(read_table("\xef\xbb\xbf\"x\"", ',').rows == std::vector<Row>{{"x"}});
  CHECK(read_table("a\"b,c", ',').rows == std::vector<Row>{{"a\"b", "c"}});
  CHECK(read_table("\"open, and\nnever closed", ',').rows ==
        std::vector<Row>{{"open, and\nnever closed"}});
  CHECK(read_table("a\n\n\nb\n\"\"\n", ',').rows == std::vector<Row>{{"a"}, {"b"}, {""}});
  CHECK(read_table("a\rb\n", ',').rows == std::vector<Row>{{"a\rb"}});
  CHECK(read_table("a\tb", '\t').rows == std::vector<Row>{{"a", "b"}});
  CHECK(read_table("", ',').rows.empty());
}

TEST_CASE("CSV: rows, columns and cells are bounded, and what is left out is counted") {
  std::string bytes;
  for (int i = 0; i < 5000; ++i) bytes += "1,2\n";
  CHECK(read_table(bytes, ',').more_rows == 5000 - 201);
  const Table wide = read_table(std::string(999, ',') + "\n1,2", ',');
  CHECK(wide.rows[0].size() == 40);
  CHECK(wide.more_columns == 960);
  CHECK(read_table(std::string(1 << 20, 'x'), ',').rows[0][0].size() <= 205);
  const std::string html = preview_of({.kind = Kind::table}, "t.csv", bytes);
  CHECK(has(html, "and 4,799 more rows"));
}

TEST_CASE("CSV: the separator is guessed and numbers are told from words") {
  CHECK(guess_separator("a;b;c\n", ',') == ';');
  CHECK(guess_separator("\"a;b;c\",d\n", ';') == ',');
  CHECK(guess_separator("one\n", '\t') == '\t');
  const Table table = read_table("n,w\n-1.5e3,x\n,2\n99 %,3\n", ',');
  CHECK(is_numeric(table, 0));
  CHECK_FALSE(is_numeric(table, 1));
  CHECK_FALSE(is_numeric(read_table("n\n", ','), 0));
}

TEST_CASE("JSON is laid out and otherwise left alone") {
  CHECK(laid_out(R"({"a":[1,2e5,{}],"a":"x,\"{:"})") ==
        "{\n  \"a\": [\n    1,\n    2e5,\n    {}\n  ],\n  \"a\": \"x,\\\"{:\"\n}");
  CHECK(laid_out("[ ]") == "[]");
  CHECK(laid_out(" 12345678901234567890123 ") == "12345678901234567890123");
  CHECK_FALSE(laid_out("{"));
  CHECK_FALSE(laid_out("[1]]"));
  CHECK_FALSE(laid_out(std::string(50'000, '[') + std::string(50'000, ']')));
}

TEST_CASE("pictures are told by their first bytes") {
  const auto found = picture_of(png("\0\0\3\x20\0\0\2\x58"s));
  REQUIRE(found);
  CHECK(found->width == 800);
  CHECK(found->height == 600);
  CHECK(picture_of("GIF89a\x10\0\x20\0"s)->height == 32);
  CHECK(picture_of("\xff\xd8\xff\xe0\0\4xx\xff\xc2\0\x0b\x08\0\x10\0\x20\3\1\x11\0"s)->width == 32);
  CHECK(picture_of("RIFF....WEBPVP8X....\0\0\0\0\x0f\0\0\x1f\0\0"s)->width == 16);
  CHECK_FALSE(picture_of(""));
  CHECK_FALSE(picture_of("\x89PNG\r\n\x1a\n"));
  CHECK_FALSE(picture_of(png("\0\0\0\0\0\0\0\1"s)));
  CHECK_FALSE(picture_of("\xff\xd8\xff\xe0\0\0\0\0\0\0\0\0\0\0\0\0"s));
  CHECK_FALSE(picture_of("<svg xmlns='http://www.w3.org/2000/svg'/>"));
}

TEST_CASE("bytes decide what is shown, then the name, then the media type") {
  const std::string svg = "<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>";
  CHECK(shape("x.txt", png("\0\0\0\1\0\0\0\1"s), "text/plain").kind == Kind::picture);
  CHECK(shape("x.png", svg, "image/png").kind == Kind::text);
  CHECK(shape("x.svg", svg).kind == Kind::svg);
  CHECK(shape("x.svg", "no drawing").kind == Kind::text);
  CHECK(shape("x", svg, "image/svg+xml").media_type == "image/svg+xml");
  CHECK(shape("X.CSV", "a,b").kind == Kind::table);
  CHECK(shape("x.tsv", "a\tb").separator == '\t');
  CHECK(shape("x.md", "# x", "text/plain").words == "Markdown source");
  CHECK(shape("x.mmd", "graph TD").words == "Mermaid source");
  CHECK(shape("x.html", "<script>").words == "HTML source");
  CHECK(shape("x", "<script>", "text/html").kind == Kind::source);
  CHECK(shape("x.csv", "a\0b"s, "text/csv").kind == Kind::binary);
  CHECK(shape("x", std::string(100, '\xff')).kind == Kind::binary);
  CHECK(shape("x", "a log with one \xff in it").kind == Kind::text);
  CHECK(shape("x.png", png("\xff\xff\xff\xff\xff\xff\xff\xff"s)).kind == Kind::binary);
}

TEST_CASE("foreign markup is text, in every kind of preview") {
  const std::string attack = "</pre></td></table><script>x</script>\",<img src=x onerror=x>";
  for (const Kind kind : {Kind::table, Kind::json, Kind::source, Kind::text}) {
    const std::string html = preview_of({.kind = kind}, "\"><script>", attack);
    CHECK_FALSE(has(html, "<script"));
    CHECK_FALSE(has(html, "<img"));
    CHECK(has(html, "&lt;script&gt;"));
  }
  const std::string svg = "<svg onload='x'><script>x</script></svg>";
  const std::string drawn =
      preview_of({.kind = Kind::svg, .media_type = "image/svg+xml"}, "x", svg);
  CHECK(has(drawn, "src=\"data:image/svg+xml;base64,"));
  CHECK_FALSE(has(drawn, "<script"));
}

TEST_CASE("an SVG with entities, or a huge one, is shown as source") {
  const Shape shape{.kind = Kind::svg, .media_type = "image/svg+xml"};
  CHECK_FALSE(has(preview_of(shape, "x", "<!DOCTYPE s [<!ENTITY a 'b'>]><svg/>"), "<img"));
  CHECK_FALSE(has(preview_of(shape, "x", "<svg>" + std::string(kSvgMost, ' ')), "<img"));
}

TEST_CASE("broken files of every kind are shown somehow, as well-formed text") {
  std::mt19937 random(11);
  const std::array<std::string, 7> seeds{
      png("\0\0\0\2\0\0\0\2"s),
      "GIF89a\2\0\2\0\0"s,
      "\xff\xd8\xff\xe0\0\4xx\xff\xc2\0\x0b\x08\0\2\0\2\3\1\x11\0"s,
      "RIFF....WEBPVP8X....\0\0\0\0\x0f\0\0\x1f\0\0"s,
      "a,\"b\"\n1,\"<script>\"\n"s,
      R"({"a":[1,"\"<script>"],"b":{}})"s,
      "<svg><script>\u202e</script></svg>"s};
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = seeds.at(random() % seeds.size());
    for (unsigned change = random() % 4; change > 0; --change)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    bytes.resize(random() % (bytes.size() + 1));
    for (const char* name : {"x.csv", "x.json", "x.svg", "x"}) {
      const std::string html = preview_of(shape(name, bytes), name, bytes);
      CHECK(sbx::is_utf8(html));
      CHECK_FALSE(has(html, "<script"));
    }
  }
}

TEST_CASE("text is bounded in bytes and lines, and the rest is counted") {
  CHECK(has(text_box(std::string(kTextMost + 10, 'x') + "\ny\n", "x"), "and 2 more lines"));
  CHECK(has(text_box(std::string(kLinesMost + 7, '\n'), "x"), "and 7 more lines"));
  CHECK(has(text_box("", "x"), "It is empty"));
  CHECK(has(text_box("\nx", "x"), ">\n\nx</pre>"));  // the first one is the parser's
  const std::string output = output_box(std::string(3 * kTextMost, 'x'), "stdout");
  CHECK(output.size() < kTextMost + 2000);
  CHECK(has(output, "512 KiB in between are not on this page"));
}

TEST_CASE("what is too large is never read, and a page that is full shows no more") {
  int reads = 0;
  Report report{.artifacts = {{.path = "/huge", .bytes = kReadMost + 1},
                              {.path = "/film", .bytes = 1, .media_type = "video/mp4"},
                              {.path = "/small", .bytes = 1}}};
  report.read = [&reads](const Artifact&) -> sbx::Result<std::string> {
    ++reads;
    return std::string("words");
  };
  std::uint64_t left = 1000;
  CHECK(has(card_of(report, 0, "r1", left), "larger than 16 MiB"));
  CHECK(has(card_of(report, 1, "r1", left), "sbx artifacts get r1 /film"));
  CHECK(reads == 0);
  CHECK(has(card_of(report, 2, "r1", left), "words"));
  CHECK(left < 1000);
  left = 10;
  CHECK(has(card_of(report, 2, "r1", left), "enough to show already"));
  CHECK(left == 0);
  CHECK(reads == 2);
  CHECK(has(card_of(report, 2, "r1", left), "enough to show already"));
  CHECK(reads == 2);
}

TEST_CASE("why an artifact cannot be read is told in its place") {
  Report report{.artifacts = {{.path = "/x; rm", .bytes = 1}}};
  report.read = [](const Artifact&) -> sbx::Result<std::string> {
    return std::unexpected(sbx::Error{.what = "its contents do not have its digest <b>"});
  };
  std::uint64_t left = 1000;
  const std::string card = card_of(report, 0, "", left);
  CHECK(has(card, "do not have its digest &lt;b&gt;"));
  CHECK(has(card, "sbx artifacts get RUN &#39;/x; rm&#39;"));
}
