// Freezing a real v2 group: all of it stands still, goes on where it was, and can be killed frozen.
#include <doctest/doctest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <string>

#include "cgroup_scene.hpp"
#include "os/cgroup_freeze.hpp"

using namespace sbx::test;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kBallast = 200UZ * 1024 * 1024;

/// Counts in shared memory as fast as it can, over `ballast` bytes of its own.
class Counter {
 public:
  explicit Counter(std::size_t ballast)
      : count_(static_cast<std::atomic<long>*>(
            ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))),
        pid_(fork()) {
    if (pid_ != 0) return;
    if (ballast != 0) {
      void* const memory =
          ::mmap(nullptr, ballast, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      std::memset(memory, 1, ballast);
    }
    for (;;) ++*count_;
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  ~Counter() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    ::munmap(count_, 4096);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool counts() const {
    const long before = *count_;
    usleep(50'000);
    return *count_ != before;
  }
  void await_progress() const {
    const long before = *count_;
    while (*count_ == before) sched_yield();
  }

 private:
  std::atomic<long>* count_;
  pid_t pid_;
};

std::optional<Cgroup> bare_group(const std::string& name) {
  const auto where = unified();
  if (!where) return std::nullopt;
  CgroupSpec spec = spec_for(*where, name);
  spec.controllers.clear();
  std::string failed;
  auto group = Cgroup::create(spec, failed);
  REQUIRE_MESSAGE(group, failed);
  return std::move(*group);
}

}  // namespace

TEST_CASE("a frozen group stands still and goes on where it was") {
  auto group = bare_group("freeze");
  if (!group) return;
  const Counter first(0);
  const Counter second(0);
  for (const Counter* each : {&first, &second}) {
    each->await_progress();
    REQUIRE(join(*group, each->pid()));
  }
  REQUIRE(freeze_cgroup(group->fd(), milliseconds(5000)));
  CHECK_FALSE(first.counts());
  CHECK_FALSE(second.counts());
  REQUIRE(thaw_cgroup(group->fd()));
  // They go on when they get a processor, or the test's own time limit says that they do not.
  first.await_progress();
  second.await_progress();
}

TEST_CASE("a frozen group can be killed") {
  auto group = bare_group("freeze-kill");
  if (!group) return;
  WaitingChild child;
  REQUIRE(join(*group, child.pid()));
  REQUIRE(freeze_cgroup(group->fd(), milliseconds(5000)));
  SUBCASE("as a group") { CHECK(group->kill()); }
  SUBCASE("process by process") { CHECK(kill(child.pid(), SIGKILL) == 0); }
  CHECK(child.wait() == SIGKILL);
}

TEST_CASE("freezing takes no longer for a large process") {
  auto group = bare_group("freeze-large");
  if (!group) return;
  const Counter large(kBallast);
  large.await_progress();
  REQUIRE(join(*group, large.pid()));
  // The best one, as this is no quiet machine: where others want the processor, it counts only when
  // the process was at work as it was frozen.
  const auto deadline = Clock::now() + std::chrono::seconds(10);
  long best = std::numeric_limits<long>::max();
  for (int turn = 0; turn < 21 || (best >= 1000 && Clock::now() < deadline); ++turn) {
    large.await_progress();
    const auto begin = Clock::now();
    REQUIRE(freeze_cgroup(group->fd(), milliseconds(5000)));
    REQUIRE(thaw_cgroup(group->fd()));
    large.await_progress();
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
    best = std::min(best, static_cast<long>(took.count()));
  }
  MESSAGE("200 MiB frozen, thawed and at work again: " << best << " us at best");
  CHECK(best < 1000);
}

TEST_CASE("what is no v2 group cannot be frozen") {
  const UniqueFd folder(open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  CHECK(freeze_cgroup(folder.get(), milliseconds(10)).error().value == ENOENT);
  CHECK(thaw_cgroup(folder.get()).error().value == ENOENT);
  CHECK(freeze_cgroup(-1, milliseconds(10)).error().value == EBADF);
}
