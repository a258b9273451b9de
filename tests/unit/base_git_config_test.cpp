#include <doctest/doctest.h>

#include <string>

#include "base/git_config.hpp"
#include "base/lexical_path.hpp"

using namespace sbx;  // NOLINT(google-build-using-namespace)

namespace {

std::string read(std::string_view text) {
  std::string all;
  for (const GitSetting& setting : parse_git_config(text))
    all += setting.key + "=<" + setting.value + ">";
  return all;
}

}  // namespace

TEST_CASE("git configuration: keys with their section, in lower case") {
  CHECK(read("[core]\n\thooksPath = .husky\n[Include]\npath=a\n") ==
        "core.hookspath=<.husky>include.path=<a>");
  CHECK(read("[includeIf \"gitdir:/a]b/\"] PATH = ../x\n") == "includeif.path=<../x>");
  CHECK(read("[branch.old]merge=r\n[core] bare\n ; c\n# d\n[core]a=1") ==
        "branch.merge=<r>core.a=<1>");
  CHECK(read("\xef\xbb\xbf[core]\r\nhooksPath = x\r\n") == "core.hookspath=<x>");
}

TEST_CASE("git configuration: quotes, escapes, comments and lines that go on") {
  CHECK(read("[a]\nb = \" x # \"y ; z\n") == "a.b=< x # y>");
  CHECK(read("[a]\nb = x\\\n  y\\t\\\\\\\"  \nc=\n") == "a.b=<x  y\t\\\">a.c=<>");
  CHECK(read("[a \"b\\\"]\"]\nc = d e  \n") == "a.c=<d e>");
}

TEST_CASE("git configuration: what versions of git read differently comes in both ways") {
  CHECK(read("[a]\nb = x\ty\rz\t\nc = \"x\ty\"\n") == "a.b=<x y z>a.b=<x\ty\rz>a.c=<x\ty>");
}

TEST_CASE("git configuration: spaces before a line that goes on are the value's") {
  CHECK(read("[a]\nb = x \\\n") == "a.b=<x >");
  CHECK(read("[a]\nb = x \\\n  # y\n") == "a.b=<x >");
}

TEST_CASE("git configuration: a value ends at a NUL") {
  using namespace std::string_view_literals;
  CHECK(read("[a]\nb = x\0y\nc = \0\nd = z\n"sv) == "a.b=<x>a.c=<>a.d=<z>");
}

TEST_CASE("git configuration: what git refuses ends nowhere") {
  CHECK(read("") == "");
  CHECK(read("[core").empty());
  CHECK(read("[a]\nb = \\").size() < 10);
  CHECK(read("= x\n[a]\n-b = y\n\"c\n") == "a.-b=<y>");
}

TEST_CASE("a path by its text alone") {
  CHECK(lexical_path("/a/b", "../c//./d/") == "/a/c/d");
  CHECK(lexical_path("/a/b", "/c/../../d") == "/d");
  CHECK(lexical_path("/a", "../../..") == "/");
  CHECK(lexical_path("/workspace", "../.git/modules/x") == "/.git/modules/x");
}
