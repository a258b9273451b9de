// Rights that are borrowed and given back take nothing else away.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "os/borrowed_rights.hpp"
#include "os/fd.hpp"

namespace {

bool dies_with_its_parent() {
  int signal = 0;
  return ::prctl(PR_GET_PDEATHSIG, &signal) == 0 && signal == SIGKILL;
}

/// In a process of its own: whether it still dies with its parent while it has them, and after.
int borrow(std::optional<sbx::os::Ids> ids) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) ::_exit(2);
    bool kept = true;
    {
      sbx::os::BorrowedRights rights(ids);
      if (!rights.take()) ::_exit(3);
      kept = dies_with_its_parent();
    }
    ::_exit(kept && dies_with_its_parent() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("who borrows rights and gives them back dies with its parent still") {
  CHECK(borrow(std::nullopt) == 0);
  if (::geteuid() == 0)
    CHECK(borrow(sbx::os::Ids{65534, 65534}) == 0);  // an ordinary user has no other's to borrow
}

TEST_CASE("a file is made by the user and the group whose rights are borrowed") {
  if (::geteuid() != 0) return;  // an ordinary user has no other's to borrow
  std::string path = "/tmp/sbx-rights-XXXXXX";
  REQUIRE(::mkdtemp(path.data()) != nullptr);
  REQUIRE(::chmod(path.c_str(), 0777) == 0);
  const std::string theirs = path + "/theirs";
  const std::string ours = path + "/ours";
  {
    sbx::os::BorrowedRights rights(sbx::os::Ids{4242, 4343});
    REQUIRE(rights.take());
    const sbx::os::UniqueFd made(
        ::open(theirs.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
    CHECK(made.valid());
  }
  const sbx::os::UniqueFd made(::open(ours.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  CHECK(made.valid());
  struct ::stat what{};
  CHECK(::stat(theirs.c_str(), &what) == 0);
  CHECK(what.st_uid == 4242);
  CHECK(what.st_gid == 4343);
  CHECK(::stat(ours.c_str(), &what) == 0);
  CHECK(what.st_uid == 0);
  for (const std::string& file : {theirs, ours}) CHECK(::unlink(file.c_str()) == 0);
  CHECK(::rmdir(path.c_str()) == 0);
}

TEST_CASE("root has the rights of the owner of a folder, and nobody else has other's") {
  const sbx::os::UniqueFd top(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto rights = sbx::os::rights_in(top.get());
  REQUIRE(rights);
  CHECK(rights->has_value() == (::geteuid() == 0));
  CHECK(!sbx::os::rights_in(-1).has_value() == (::geteuid() == 0));
}
