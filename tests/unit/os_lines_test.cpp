// Lines of a file, with their places and a bound on their length.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "os/fd.hpp"
#include "os/lines.hpp"

using namespace sbx::os;

namespace {

UniqueFd file_of(const std::string& text) {
  UniqueFd file(::memfd_create("lines", MFD_CLOEXEC));
  REQUIRE(::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  return file;
}

}  // namespace

TEST_CASE("every line has its place, and the last one may lack its end") {
  const std::string long_line(100'000, 'x');
  const UniqueFd file = file_of("one\n\n" + long_line + "\nlast");
  LineReader reader(file.get(), 200'000);
  const std::vector<std::string> expected{"one", "", long_line, "last"};
  std::uint64_t offset = 0;
  for (const std::string& text : expected) {
    const auto line = reader.next();
    REQUIRE(line.has_value());
    REQUIRE(line->has_value());
    CHECK((*line)->text == text);
    CHECK((*line)->offset == offset);
    CHECK((*line)->ended == (text != "last"));
    CHECK(read_at(file.get(), offset, text.size()).value() == text);
    offset += text.size() + 1;
  }
  CHECK_FALSE(reader.next().value().has_value());
  CHECK(read_at(file.get(), offset - 1, 1).error().value == EIO);
}

TEST_CASE("a line may be as long as allowed, and not longer") {
  const UniqueFd file = file_of(std::string(1000, 'x') + "\n" + std::string(1001, 'y') + "\n");
  LineReader reader(file.get(), 1000);
  CHECK(reader.next().value()->text.size() == 1000);
  CHECK(reader.next().error().value == EMSGSIZE);
  const UniqueFd endless = file_of(std::string(1'000'000, 'x'));
  CHECK(LineReader(endless.get(), 1000).next().error().value == EMSGSIZE);
}

TEST_CASE("an empty file has no line") {
  CHECK_FALSE(LineReader(file_of("").get(), 10).next().value().has_value());
}
