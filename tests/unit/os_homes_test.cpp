// The caller's home, by the environment and by an accounts' file of the test's own.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "../support/temp_tree.hpp"
#include "os/homes.hpp"

using namespace sbx;  // NOLINT(google-build-using-namespace)
using test::TempTree;

namespace {

using Homes = std::vector<std::string>;

Homes homes(const TempTree& tree, const std::string& variable, const std::string& accounts) {
  HostFacts facts;
  facts.euid = 1234;
  facts.home = variable;
  return os::homes_of(facts, tree.file("passwd", accounts).c_str());
}

std::string account(const std::string& uid, const std::string& home) {
  return "name:x:" + uid + ":1234:Some One:" + home + ":/bin/sh\n";
}

}  // namespace

TEST_CASE("a home is known without links and by one name") {
  const TempTree tree;
  const std::string home = tree.folder("home");
  std::filesystem::create_symlink(home, tree.path("link"));
  for (const std::string& form : {tree.path("link"), tree.path("./home/"), tree.path("x/../home")})
    CHECK(homes(tree, form, "").front() == home);
  CHECK(homes(tree, "/nonexistent/./a/", "") == Homes{"/nonexistent/a"});
}

TEST_CASE("the account of our uid has a home as well, however many others there are") {
  const TempTree tree;
  const std::string home = tree.folder("home");
  std::filesystem::create_symlink(home, tree.path("link"));
  std::string many;
  for (int i = 0; i < 3000; ++i) many += account("9" + std::to_string(i), "/home/other");
  const std::string other = account("12345", "/a") + account("234", "/b") + "1234:x:7:1234::/c:/\n";
  CHECK(homes(tree, "", many + other + account("1234", tree.path("link"))) == Homes{home});
  CHECK(homes(tree, home, account("1234", "/srv")) == Homes{home, "/srv"});
  CHECK(homes(tree, home, account("1234", home)) == Homes{home});
}

TEST_CASE("what is no account gives no home") {
  const TempTree tree;
  for (const char* text : {"", "\n\n", "x:1234:1234", "a:x:1234:1:", "a:x:1234:1::\n",
                           "a:x:1234:1::relative:/bin/sh\n", "+::::::\n"})
    CHECK_MESSAGE(homes(tree, "", text).empty(), text);
  HostFacts facts;
  CHECK(os::homes_of(facts, "/nonexistent").empty());
}
