#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "mcp/line_reader.hpp"

using sbx::mcp::LineReader;

namespace {

std::vector<std::string> all(LineReader& reader) {
  std::vector<std::string> out;
  while (const auto line = reader.next()) out.push_back(line->too_long ? "<too long>" : line->text);
  return out;
}

}  // namespace

TEST_CASE("lines come whole, however they are cut") {
  const std::string text = "one\n\ntwo\r\nthree\n";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    LineReader reader(100);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      reader.feed(std::string_view(text).substr(at, piece));
      for (std::string& line : all(reader)) lines.push_back(std::move(line));
    }
    CHECK(lines == std::vector<std::string>{"one", "", "two", "three"});
  }
}

TEST_CASE("what has no end yet is no line") {
  LineReader reader(100);
  reader.feed("half");
  CHECK(all(reader).empty());
  reader.feed(" of it\n");
  CHECK(all(reader) == std::vector<std::string>{"half of it"});
}

TEST_CASE("a line that is too long is told once, and the next is read") {
  for (const std::size_t piece : {1U, 3U, 7U, 1000U}) {
    LineReader reader(4);
    std::vector<std::string> lines;
    const std::string text = "1234\n12345\n" + std::string(5000, 'x') + "\nok\n";
    for (std::size_t at = 0; at < text.size(); at += piece) {
      reader.feed(std::string_view(text).substr(at, piece));
      for (std::string& line : all(reader)) lines.push_back(std::move(line));
    }
    CHECK(lines == std::vector<std::string>{"1234", "<too long>", "<too long>", "ok"});
  }
}

TEST_CASE("a piece full of lines costs what it is long, not the square of it") {
  constexpr std::size_t kLines = 4'000'000;  // line by line it would be hours
  LineReader reader(100);
  reader.feed(std::string(kLines, '\n') + "half");
  std::size_t lines = 0;
  while (reader.next()) ++lines;
  CHECK(lines == kLines);
  CHECK(reader.waits());
  reader.feed(" of it\n");
  CHECK(all(reader) == std::vector<std::string>{"half of it"});
}
