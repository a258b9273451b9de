// Being moved with an anchor, by a shell that stands for systemd's manager.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "cgroup_scene.hpp"
#include "os/scope_anchor.hpp"

using namespace sbx::test;

namespace {

constexpr int kBroken = 99;

/// A group that can be one's scope, and goes with this object.
class Scope {
 public:
  explicit Scope(const sbx::CgroupHome& home)
      : mount_(home.mount), unit_("test-" + std::to_string(::getpid()) + ".scope") {
    path_ = folder_of(home) + "/" + unit_;
    ::mkdir(path_.c_str(), 0755);
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() { ::rmdir(path_.c_str()); }

  [[nodiscard]] const std::string& mount() const { return mount_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// The shell's command that moves both; the manager's order is none.
  [[nodiscard]] std::string move(pid_t self, pid_t anchor) const {
    std::string text;
    for (const pid_t pid : {self, anchor})
      text += "echo " + std::to_string(pid) + " >" + path_ + "/cgroup.procs; ";
    return text;
  }

 private:
  std::string mount_;
  std::string unit_;
  std::string path_;
};

/// What move_with_anchor() gives a process of its own, whose pid `script` gets besides the
/// anchor's.
template <class Script>
pid_t fork_mover(const Scope& scope, const Script& script, const std::string& expected_words = {}) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const pid_t self = ::getpid();
  std::string said;
  const auto moved = move_with_anchor(
      [&](pid_t anchor) { return std::vector<std::string>{"/bin/sh", "-c", script(self, anchor)}; },
      scope.mount(), scope.unit(), said);
  if (!moved || !said.contains(expected_words)) ::_exit(kBroken);
  // The anchor must be gone by now, or the scope could hand no controller down.
  if (*moved == Moved::yes && first_line(scope.path() + "/cgroup.procs") != std::to_string(self))
    ::_exit(kBroken);
  ::_exit(static_cast<int>(*moved));
}

int exit_code_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("one is moved, and the anchor is gone, whichever of them was the first") {
  const auto home = unified();
  if (!home) return;
  const Scope scope(*home);
  const auto together = [&](pid_t self, pid_t anchor) { return scope.move(self, anchor); };
  CHECK(exit_code_of(fork_mover(scope, together)) == static_cast<int>(Moved::yes));
  const auto late = [&](pid_t self, pid_t anchor) {
    const std::string file = scope.path() + "/cgroup.procs";
    // The call returns before either is moved.
    return "(echo " + std::to_string(anchor) + " >" + file + "; sleep 0.2; echo " +
           std::to_string(self) + " >" + file + ") 2>/dev/null &";
  };
  CHECK(exit_code_of(fork_mover(scope, late)) == static_cast<int>(Moved::yes));
}

TEST_CASE("what the command says of a refusal arrives") {
  const auto home = unified();
  if (!home) return;
  const Scope scope(*home);
  const auto script = [](pid_t, pid_t) { return "echo there is no such thing >&2; exit 1"; };
  CHECK(exit_code_of(fork_mover(scope, script, "no such thing")) ==
        static_cast<int>(Moved::refused));
}

TEST_CASE("a scope whose supervisor was killed before it got in is populated, and ends") {
  const auto home = unified();
  if (!home) return;
  const Scope scope(*home);
  // The killed one stays a zombie, as with a busy parent: the kernel takes it in only seemingly.
  const std::string seen = scope.path() + "-seen";
  const auto script = [&](pid_t self, pid_t anchor) {
    return "kill -9 " + std::to_string(self) + "; " + scope.move(self, anchor) + "test \"$(cat " +
           scope.path() + "/cgroup.procs)\" = " + std::to_string(anchor) + " && mkdir " + seen;
  };
  const pid_t killed = fork_mover(scope, script);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (::rmdir(seen.c_str()) != 0) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(exit_code_of(killed) == -1);
  while (::rmdir(scope.path().c_str()) != 0) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST_CASE("a signal that ends sbx ends the waiting") {
  const auto home = unified();
  if (!home) return;
  const Scope scope(*home);
  const pid_t child = ::fork();
  if (child == 0) {
    ::sigset_t term;
    ::sigemptyset(&term);
    ::sigaddset(&term, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &term, nullptr);
    ::raise(SIGTERM);
    std::string said;
    const auto moved =
        move_with_anchor([](pid_t) { return std::vector<std::string>{"/bin/sleep", "3"}; },
                         scope.mount(), scope.unit(), said);
    ::_exit(!moved && moved.error().value == EINTR ? 0 : kBroken);
  }
  const auto start = std::chrono::steady_clock::now();
  CHECK(exit_code_of(child) == 0);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
}
