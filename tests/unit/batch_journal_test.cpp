// The lines that a batch writes can be read again, and nothing else can be taken for one.
#include <doctest/doctest.h>

#include <string>

#include "batch/journal.hpp"

using namespace sbx::batch;

namespace {

std::string line(const std::string& id, const std::string& result) {
  std::string text = line_head(id, 3, digest_of("the job"), 2) + result + std::string(kLineTail);
  text.pop_back();
  return text;
}

}  // namespace

TEST_CASE("what was written is read again") {
  const std::string text =
      line("a\x1b\"b", R"({"schema":"sbx.result/1","profile":{"name":"p","sha256":"ab"},)"
                       R"("status":"ok","output":{"status":"x","sha256":"cd"}})");
  CHECK(text.find('\n') == std::string::npos);
  const auto read = read_line(text);
  REQUIRE(read.has_value());
  CHECK(read->id == "a\x1b\"b");
  CHECK(read->digest == digest_of("the job"));
  CHECK(read->digest != digest_of("the job "));
  CHECK(read->status == "ok");
  CHECK(read->profile == "ab");
}

TEST_CASE("a line is whole or none") {
  const std::string text = line("a", R"({"status":"ok","argv":["x"]})");
  REQUIRE(read_line(text).has_value());
  for (std::size_t size = 0; size < text.size(); ++size)
    CHECK_FALSE(read_line(text.substr(0, size)).has_value());
  CHECK_FALSE(read_line(text + text).has_value());
  CHECK_FALSE(read_line(text + "x").has_value());
  CHECK_FALSE(read_line(text + '\0').has_value());
  CHECK_FALSE(read_line(text + '\0' + "x").has_value());
}

TEST_CASE("other objects are no results") {
  for (const char* text :
       {"{}", "[]", "null", R"({"job":"a"})",
        R"({"job":"a","sha256":"zz","result":{"status":"ok"}})",
        R"({"job":1,"sha256":"00000000000000000000000000000000","result":{"status":"ok"}})",
        R"({"job":"a","sha256":"00000000000000000000000000000000","result":[{"status":"ok"}]})"})
    CHECK_FALSE(read_line(text).has_value());
  CHECK_FALSE(read_line(std::string(100'000, '[')).has_value());
}
