// Being moved with an anchor, by a shell that stands for systemd's manager.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

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
  /// The shell's command that moves one.
  [[nodiscard]] std::string take(pid_t pid) const {
    return "echo " + std::to_string(pid) + " >" + path_ + "/cgroup.procs";
  }

 private:
  std::string mount_;
  std::string unit_;
  std::string path_;
};

ScopeCalls calls_of(const std::function<std::string(pid_t)>& start, const std::string& attach) {
  const auto shell = [](const std::string& script) {
    return std::vector<std::string>{"/bin/sh", "-c", script};
  };
  return {[=](pid_t anchor) { return shell(start(anchor)); }, shell(attach)};
}

/// What move_with_anchor() gives a process of its own. `attach` and `start` make the scripts, for
/// that process and for the anchor.
template <class Start, class Attach>
pid_t fork_mover(const Scope& scope, const Start& start, const Attach& attach,
                 const std::string& expected_words = {}) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const pid_t self = ::getpid();
  std::string said;
  const auto moved =
      move_with_anchor(calls_of([&](pid_t anchor) { return start(self, anchor); }, attach(self)),
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

TEST_CASE("one is moved, and the anchor is gone") {
  const auto home = unified();
  if (!home) return;
  const Scope scope(*home);
  // The first call returns before it is done, as the manager's does.
  const auto start = [&](pid_t, pid_t anchor) {
    return "(sleep 0.1; " + scope.take(anchor) + ") 2>/dev/null &";
  };
  const auto attach = [&](pid_t self) { return scope.take(self); };
  CHECK(exit_code_of(fork_mover(scope, start, attach)) == static_cast<int>(Moved::yes));
}

TEST_CASE("what either call says of a refusal arrives") {
  const auto home = unified();
  if (!home) return;
  const Scope scope(*home);
  const auto start = [&](pid_t, pid_t anchor) { return scope.take(anchor); };
  const auto refused = [](auto...) { return "echo there is no such thing >&2; exit 1"; };
  const auto attach = [&](pid_t self) { return scope.take(self); };
  const auto code = static_cast<int>(Moved::refused);
  CHECK(exit_code_of(fork_mover(scope, refused, attach, "no such thing")) == code);
  CHECK(exit_code_of(fork_mover(scope, start, refused, "no such thing")) == code);
}

TEST_CASE("a scope whose supervisor was killed before it got in is populated, and ends") {
  const auto home = unified();
  if (!home) return;
  const Scope scope(*home);
  const std::string seen = scope.path() + "-seen";
  const auto start = [&](pid_t self, pid_t anchor) {
    return "kill -9 " + std::to_string(self) + "; " + scope.take(anchor) + " && mkdir " + seen;
  };
  const auto attach = [&](pid_t self) { return scope.take(self); };
  const pid_t killed = fork_mover(scope, start, attach);  // a zombie, as with a busy parent
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  // Nobody tells when the anchor has gone: looked for until it has.
  const auto remove = [deadline](const std::string& folder) {
    while (::rmdir(folder.c_str()) != 0) {
      REQUIRE(std::chrono::steady_clock::now() < deadline);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  remove(seen);
  remove(scope.path());
  CHECK(exit_code_of(killed) == -1);
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
    const auto moved = move_with_anchor(calls_of([](pid_t) { return "exec sleep 3"; }, ""),
                                        scope.mount(), scope.unit(), said);
    ::_exit(!moved && moved.error().value == EINTR ? 0 : kBroken);
  }
  const auto start = std::chrono::steady_clock::now();
  CHECK(exit_code_of(child) == 0);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
}
