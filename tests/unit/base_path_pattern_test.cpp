// Patterns of paths: what they mean, and that no pattern takes long.
#include "base/path_pattern.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using sbx::covers;
using sbx::PathPattern;

namespace {

bool means(const char* pattern, const char* path) { return covers(PathPattern(pattern), path); }

std::string repeated(const char* text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("names, within a name") {
  CHECK(means("/a/b", "/a/b"));
  CHECK_FALSE(means("/a/b", "/a"));
  CHECK_FALSE(means("/a/b", "/a/c"));
  CHECK(means("/a/*.pem", "/a/x.pem"));
  CHECK(means("/a/*.pem", "/a/.pem"));
  CHECK_FALSE(means("/a/*.pem", "/a/b/x.pem"));
  CHECK(means("/a/?", "/a/b"));
  CHECK_FALSE(means("/a/?", "/a/bc"));
}

TEST_CASE("all but * and ? is itself") {
  CHECK(means("/a/[i?]*", "/a/[id].key"));
  CHECK(means("/a/x\\y*", "/a/x\\y.key"));
  CHECK_FALSE(means("/a/x\\y*", "/a/xy.key"));
  CHECK(means("/a/\\*", "/a/\\z"));
}

TEST_CASE("? is one character, of whatever length, or a byte that is part of none") {
  CHECK(means("/a/?.key", "/a/\u00e9.key"));
  CHECK(means("/a/??", "/a/\u20ac\U0001f34e"));
  CHECK_FALSE(means("/a/??", "/a/\u00e9"));
  CHECK(means("/a/??", "/a/\xc3x"));
  CHECK(means("/a/?", "/a/\xff"));
  CHECK(means("/a/?", "/a/\xf0"));  // the last bytes of a name may be too few
}

TEST_CASE("a * leaves as much as what follows it needs") {
  CHECK(means("/a/*b", "/a/abab"));
  CHECK(means("/a/*a*b*", "/a/xxaxbx"));
  CHECK(means("/a/x*", "/a/x"));
  CHECK_FALSE(means("/a/*b", "/a/aba"));
  CHECK_FALSE(means("/a/*??z*", "/a/\u20aczq"));
}

TEST_CASE("what lies below is meant as well") {
  CHECK(means("/a/b*", "/a/bc/d/e"));
  CHECK_FALSE(means("/a/b*", "/a/c/b"));
}

TEST_CASE("** is any number of folders, at the end at least one name") {
  CHECK(means("/a/**/x", "/a/x"));
  CHECK(means("/a/**/x", "/a/b/c/x"));
  CHECK_FALSE(means("/a/**/x", "/b/x"));
  CHECK(means("/a/**/b/**/c", "/a/1/b/2/3/c"));
  CHECK_FALSE(means("/a/**/b/**/c", "/a/1/2/3/c"));
  CHECK(means("/a/**", "/a/b"));
  CHECK_FALSE(means("/a/**", "/a"));
  CHECK(means("/a/**/**", "/a/b"));
  CHECK(means("/**/x", "/x"));
}

TEST_CASE("brackets are one of several characters, and themselves") {
  CHECK(means("/a/[bc].pem", "/a/c.pem"));
  CHECK(means("/a/[bc].pem", "/a/[bc].pem"));
  CHECK_FALSE(means("/a/[bc].pem", "/a/d.pem"));
  CHECK(means("/a/[id]/*.pem", "/a/[id]/x.pem"));
  CHECK(means("/a/[id]*.pem", "/a/[id]x.y.pem"));
  CHECK(means("/**/[id]?", "/a/b/[id]1"));
  CHECK_FALSE(means("/**/[id]?", "/a/b/[id]12"));
  CHECK(means("/a/[b", "/a/[b"));
}

TEST_CASE("a slash or a dot too many means nothing") {
  for (const char* pattern : {"/a/b/", "/a//b", "//a/b", "a/b", "/./a/b", "/a/./b", "/a/b/."}) {
    CHECK(means(pattern, "/a/b"));
    CHECK_FALSE(means(pattern, "/a"));
  }
}

TEST_CASE("empty, too long, too many names: means nothing") {
  for (const std::string& pattern :
       {std::string(), std::string("/"), std::string("//"), std::string("/."),
        repeated("/a", PathPattern::kMaxParts + 1), "/" + repeated("a", 5000)}) {
    CHECK_FALSE(PathPattern(pattern).valid());
    CHECK_FALSE(covers(PathPattern(pattern), "/a"));
  }
  CHECK(PathPattern(repeated("/a", PathPattern::kMaxParts)).valid());
  CHECK(covers(PathPattern(repeated("/a", PathPattern::kMaxParts)),
               repeated("/a", PathPattern::kMaxParts)));
}

TEST_CASE("many ** take no longer than one") {
  // By trying one way after the other this would outlast us all.
  const PathPattern pattern(repeated("/**/a*", 29) + "/x");
  const auto started = std::chrono::steady_clock::now();
  CHECK_FALSE(covers(pattern, repeated("/ab", 2000)));
  CHECK(covers(pattern, repeated("/ab", 2000) + "/x"));
  CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(10));
}
