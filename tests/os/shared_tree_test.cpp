// What stands in for a pid and a mount namespace.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "../support/not_tried.hpp"
#include "../support/temp_tree.hpp"
#include "at_call.hpp"
#include "os/fd.hpp"
#include "os/landlock.hpp"
#include "os/process.hpp"
#include "os/process_tree.hpp"
#include "os/remove_tree.hpp"
#include "os/scratch.hpp"

using namespace sbx;      // NOLINT(google-build-using-namespace)
using namespace sbx::os;  // NOLINT(google-build-using-namespace)
using sbx::test::TempTree;
namespace fs = std::filesystem;

namespace {

UniqueFd open_folder(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

void touch(const fs::path& path) { std::ofstream(path) << "x"; }

}  // namespace

TEST_CASE("a folder is emptied whatever is in it, and links lead nowhere") {
  const TempTree tree;
  const fs::path top = fs::path(tree.path()) / "top";
  const fs::path kept = fs::path(tree.path()) / "kept";
  fs::create_directories(top);
  fs::create_directories(kept);
  touch(kept / "file");
  fs::create_directory_symlink(kept, top / "link");
  fs::create_directories(top / "a/b/c/d");
  fs::create_directory_symlink(kept, top / "a/b/link");
  touch(top / "a/b/c/d/file");
  touch(top / "lifted.1");  // a name that the emptying itself would use
  for (int i = 0; i < 300; ++i) touch(top / ("file" + std::to_string(i)));
  fs::create_directories(top / "closed/inner");
  touch(top / "closed/inner/file");
  fs::permissions(top / "closed/inner", fs::perms::none);
  fs::permissions(top / "closed", fs::perms::none);
  const UniqueFd folder = open_folder(top);
  CHECK(empty_folder(folder.get()).has_value());
  CHECK(fs::is_empty(top));
  CHECK(fs::exists(kept / "file"));
}

TEST_CASE("no depth is too deep") {
  const TempTree tree;
  const fs::path top = fs::path(tree.path()) / "top";
  fs::create_directories(top);
  const std::string name(200, 'd');
  UniqueFd at = open_folder(top);
  for (int depth = 0; depth < 400; ++depth) {
    if (!at.valid()) FAIL("openat");
    REQUIRE(::mkdirat(at.get(), name.c_str(), 0700) == 0);
    at = UniqueFd(::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    REQUIRE(UniqueFd(::openat(at.get(), "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600)).valid());
  }
  const UniqueFd folder = open_folder(top);
  CHECK(empty_folder(folder.get()).has_value());
  CHECK(fs::is_empty(top));
}

TEST_CASE("a scratch folder is swept only when nobody holds it") {
  const TempTree tree;
  const std::string base = std::string(tree.path()) + "/";
  const std::string path = base + "sbx-one";
  auto held = make_scratch(path.c_str());
  REQUIRE(held.has_value());
  CHECK(make_scratch(path.c_str()).error().value == EEXIST);
  sweep_scratches(base, "sbx-", ::geteuid(), 1);
  CHECK(fs::exists(path));
  touch(path + "/file");
  held->reset();
  sweep_scratches(base, "other-", ::geteuid(), 1);
  sweep_scratches(base, "sbx-", ::geteuid() + 1, 1);
  CHECK(fs::exists(path));
  sweep_scratches(base, "sbx-", ::geteuid(), 1);
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("one that is being made is made, whoever sweeps meanwhile") {
  const TempTree tree;
  const std::string base = tree.path() + "/";
  const pid_t sweeper = ::fork();
  if (sweeper == 0) {
    if (!set_death_signal(SIGKILL)) ::_exit(1);  // a failed test leaves it alone
    for (;;) sweep_scratches(base, "sbx-", ::geteuid(), 1);
  }
  for (int i = 0; i < 3000; ++i) {
    const std::string path = base + "sbx-" + std::to_string(i);
    const auto made = make_scratch(path.c_str());
    REQUIRE_MESSAGE(made.has_value(), i);
    REQUIRE(fs::exists(path));
    REQUIRE(remove_scratch(made->get(), path.c_str()).has_value());
  }
  ::kill(sweeper, SIGKILL);
  CHECK(::waitpid(sweeper, nullptr, 0) == sweeper);
}

TEST_CASE("a sweep that comes late does not take what has the name by then") {
  const TempTree tree;
  const std::string base = tree.path() + "/";
  const std::string path = base + "sbx-one";
  REQUIRE(make_scratch(path.c_str()).has_value());  // nobody holds it any more
  sbx::test::AtCall late(SYS_flock, [&base] { sweep_scratches(base, "sbx-", ::geteuid(), 1); });
  sweep_scratches(base, "sbx-", ::geteuid(), 1);  // another one's, which takes it
  const auto made = make_scratch(path.c_str());
  REQUIRE(made.has_value());
  CHECK(late.go_on());
  CHECK(fs::exists(path));
}

TEST_CASE("a folder that somebody else can have put there is nobody's scratch") {
  const TempTree tree;
  const std::string base = tree.path() + "/";
  for (const mode_t mode : {0777U, 0755U, 01700U, 0500U}) {
    const std::string path = base + "sbx-" + std::to_string(mode);
    REQUIRE(::mkdir(path.c_str(), 0700) == 0);
    touch(path + "/file");
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    sweep_scratches(base, "sbx-", ::geteuid(), 1);
    CHECK(fs::exists(path + "/file"));
  }
  fs::create_directories(base + "other");
  touch(base + "other/file");
  fs::create_directory_symlink(base + "other", base + "sbx-link");
  sweep_scratches(base, "sbx-", ::geteuid(), 1);
  CHECK(fs::exists(base + "other/file"));
}

TEST_CASE("without a scope for signals nobody is signalled") {
  const pid_t other = ::fork();
  if (other == 0) {
    ::pause();
    ::_exit(0);
  }
  end_descendants();
  end_others();
  CHECK(::waitpid(other, nullptr, WNOHANG) == 0);
  ::kill(other, SIGKILL);
  CHECK(::waitpid(other, nullptr, 0) == other);
}

TEST_CASE("all of the tree and nobody else") {
  if (landlock_abi() < 6)
    return sbx::test::not_tried(
        "needs signal-scope: the kernel's Landlock has no scope for signals (Linux 6.12)");
  const pid_t outside = ::fork();
  if (outside == 0) {
    ::pause();
    ::_exit(0);
  }
  const pid_t root = ::fork();
  if (root == 0) {
    if (!adopt_orphans() || !set_no_new_privs() || !confine_signals(landlock_abi())) ::_exit(1);
    if (::kill(outside, 0) == 0) ::_exit(2);
    for (int i = 0; i < 5; ++i)
      if (::fork() == 0) {
        if (::fork() != 0) ::_exit(0);  // an orphan, in a session of its own
        ::setsid();
        ::pause();
        ::_exit(0);
      }
    end_descendants();
    ::_exit(::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD ? 0 : 3);
  }
  int status = -1;
  REQUIRE(::waitpid(root, &status, 0) == root);
  CHECK(status == 0);
  CHECK(::waitpid(outside, nullptr, WNOHANG) == 0);
  ::kill(outside, SIGKILL);
  CHECK(::waitpid(outside, nullptr, 0) == outside);
}
