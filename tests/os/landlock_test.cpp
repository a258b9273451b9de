// A rule of Landlock's for a file and one for a folder.
#include "os/landlock.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "../support/not_tried.hpp"
#include "../support/temp_tree.hpp"
#include "os/process.hpp"

using namespace sbx::os;  // NOLINT(google-build-using-namespace)
using sbx::test::TempTree;

namespace {

/// 0, or the errno of open(2).
int opened(const std::string& path, int flags) {
  return UniqueFd(::open(path.c_str(), flags | O_CLOEXEC, 0600)).valid() ? 0 : errno;
}

}  // namespace

TEST_CASE("what may be written is, a folder or one file, and nothing beside it") {
  const int abi = landlock_abi();
  if (abi == 0) return sbx::test::not_tried("needs landlock: this kernel has none");
  const TempTree tree;
  const std::string top = tree.path();
  std::ofstream(top + "/file") << "x";
  std::ofstream(top + "/other") << "x";
  REQUIRE(::mkdir((top + "/folder").c_str(), 0700) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto rules = landlock_ruleset(abi, {});
    if (!rules) ::_exit(1);
    for (const char* shown : {"/file", "/folder"}) {
      const UniqueFd path(::open((top + shown).c_str(), O_PATH | O_CLOEXEC));
      if (!landlock_allow(rules->get(), abi, path.get(), LandlockAccess::write)) ::_exit(2);
    }
    if (landlock_allow(rules->get(), abi, -1, LandlockAccess::write)) ::_exit(3);
    if (!set_no_new_privs() || !landlock_restrict(rules->get())) ::_exit(4);
    if (opened(top + "/file", O_RDWR) != 0) ::_exit(5);
    if (opened(top + "/folder/new", O_RDWR | O_CREAT) != 0) ::_exit(6);
    if (opened(top + "/other", O_RDONLY) != EACCES) ::_exit(7);
    ::_exit(opened(top + "/new", O_RDWR | O_CREAT) == EACCES ? 0 : 8);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(WIFEXITED(status));
}
