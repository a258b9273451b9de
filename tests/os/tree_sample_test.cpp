// A tree's use, and what its sockets keep, added up from /proc.
#include "os/tree_times.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

#include "os/fd.hpp"
#include "os/gone.hpp"
#include "os/unread.hpp"

namespace {

constexpr std::size_t kBlock = 32U << 20U;

void* block(int kind) {
  return mmap(nullptr, kBlock, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
}

void touch(void* memory) {
  auto* const bytes = static_cast<volatile char*>(memory);
  for (std::size_t at = 0; at < kBlock; at += 4096) bytes[at] = 1;
}

/// For a tenth of a second or more.
void compute() {
  volatile unsigned long steps = 0;
  while (steps < 300'000'000) {
    const unsigned long next = steps + 1;
    steps = next;
  }
}

/// A process whose child has one block of its own, and another that both map.
class Family {
 public:
  Family() {
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    parent_ = fork();
    if (parent_ == 0) {
      void* const shared = block(MAP_SHARED);
      touch(shared);
      if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        touch(block(MAP_PRIVATE));
        touch(shared);
        if (write(ready[1], "x", 1) != 1) _exit(1);
      }
      for (;;) pause();
    }
    char byte = 0;
    CHECK(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
    close(ready[1]);
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;
  ~Family() {
    kill(parent_, SIGKILL);
    waitpid(parent_, nullptr, 0);
  }
  [[nodiscard]] pid_t parent() const { return parent_; }

 private:
  pid_t parent_ = -1;
};

}  // namespace

TEST_CASE("what is taken from one kind of processor time and is not there, the other lacks") {
  const auto left = [](sbx::os::CpuTime all, sbx::os::CpuTime part) {
    const sbx::os::CpuTime rest = sbx::os::minus(all, part);
    return std::pair(rest.user_us, rest.system_us);
  };
  CHECK(left({10, 7}, {3, 2}) == std::pair<std::uint64_t, std::uint64_t>(7, 5));
  CHECK(left({10, 0}, {3, 2}) == std::pair<std::uint64_t, std::uint64_t>(5, 0));
  CHECK(left({0, 10}, {3, 2}) == std::pair<std::uint64_t, std::uint64_t>(0, 5));
  CHECK(left({2, 10}, {3, 2}) == std::pair<std::uint64_t, std::uint64_t>(0, 7));
  CHECK(left({1, 1}, {3, 2}) == std::pair<std::uint64_t, std::uint64_t>(0, 0));
}

TEST_CASE("a tree's memory is its children's too, and what they share counts once") {
  const Family family;
  const auto rough = sbx::os::sample_tree(family.parent(), 1U << 30U);
  REQUIRE(rough);
  CHECK(rough->processes == 2);
  CHECK(rough->memory >= 3 * kBlock);
  const auto exact = sbx::os::sample_tree(family.parent(), 0);
  REQUIRE(exact);
  CHECK(exact->memory >= 2 * kBlock);
  CHECK(exact->memory < 2 * kBlock + kBlock / 2);
}

TEST_CASE("a tree of which nobody has had a processor stands still") {
  int go[2];
  int told[2];
  REQUIRE(pipe(go) == 0);
  REQUIRE(pipe(told) == 0);
  const pid_t parent = fork();
  if (parent == 0) {
    char byte = 0;
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (write(told[1], "x", 1) != 1) _exit(1);
      while (read(go[0], &byte, 1) == 1)
        if (write(told[1], "x", 1) != 1) break;
      _exit(0);
    }
    for (;;) pause();
  }
  char byte = 0;
  REQUIRE(read(told[0], &byte, 1) == 1);
  sbx::os::TreeClocks clocks;
  // Between its word to us and its wait for us it has a processor.
  for (bool still = false; !still;) {
    const auto sample = sbx::os::sample_tree(parent, 0);
    REQUIRE(sample);
    REQUIRE(sample->processes == 2);
    clocks = sample->clocks;
    usleep(1000);
    still = clocks.stand_still();
  }
  sbx::os::TreeClocks others = clocks;
  others.miss();
  CHECK_FALSE(others.stand_still());
  int trusted = 1;
  while (trusted < 100 && clocks.stand_still()) ++trusted;
  CHECK(trusted == 8);

  clocks = sbx::os::sample_tree(parent, 0)->clocks;
  REQUIRE(write(go[1], "x", 1) == 1);
  REQUIRE(read(told[0], &byte, 1) == 1);
  CHECK_FALSE(clocks.stand_still());
  clocks = sbx::os::sample_tree(parent, 0)->clocks;
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  CHECK_FALSE(clocks.stand_still());
}

TEST_CASE("CPU time of a child that is gone stays with the one that waited for it") {
  const pid_t parent = fork();
  if (parent == 0) {
    if (fork() == 0) {
      compute();
      _exit(0);
    }
    wait(nullptr);
    raise(SIGSTOP);
    _exit(0);
  }
  int status = 0;
  CHECK(waitpid(parent, &status, WUNTRACED) == parent);
  const auto sample = sbx::os::sample_tree(parent, 0);
  REQUIRE(sample);
  CHECK(sample->processes == 1);
  sbx::os::TreeTimes times;
  CHECK_FALSE(times.used());
  times.note(*sample);
  CHECK(times.used()->sum() >= 50'000);
  kill(parent, SIGKILL);
  waitpid(parent, &status, 0);
  const auto gone = sbx::os::sample_tree(parent, 0);
  REQUIRE_FALSE(gone);
  CHECK(gone.error().value == ESRCH);
}

TEST_CASE("a look for which there is no descriptor is none, and not one at an idle tree") {
  const Family family;
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{0, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  const auto sample = sbx::os::sample_tree(family.parent(), 0);
  sbx::os::UnreadSockets sockets;
  const auto count = sockets.count(family.parent(), 0);
  const auto bytes = sockets.bytes(family.parent(), 0);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  REQUIRE_FALSE(sample);
  CHECK(sample.error().value == EMFILE);
  REQUIRE_FALSE(count);
  CHECK(count.error().value == EMFILE);
  REQUIRE_FALSE(bytes);
  CHECK(bytes.error().value == EMFILE);
}

TEST_CASE("the sockets of a process that has ended keep nothing, until it has gone") {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t ended{};
  REQUIRE(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
  sbx::os::UnreadSockets sockets;
  const auto count = sockets.count(child, 0);
  REQUIRE(count);
  CHECK(*count == sbx::os::Sockets::none);
  const auto bytes = sockets.bytes(child, 0);
  REQUIRE(bytes);
  CHECK(*bytes == 0);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  CHECK(sockets.count(child, 0).error().value == ENOENT);
  CHECK(sockets.bytes(child, 0).error().value == ENOENT);
}

TEST_CASE("CPU time of a child for which nobody waits is what was seen of it, and counts once") {
  int told[2];
  int go[2];
  REQUIRE(pipe(told) == 0);
  REQUIRE(pipe(go) == 0);
  const pid_t parent = fork();
  if (parent == 0) {
    signal(SIGCHLD, SIG_IGN);
    char byte = 0;
    if (fork() == 0) {
      compute();
      if (write(told[1], "x", 1) != 1 || read(go[0], &byte, 1) != 1) _exit(1);
      _exit(0);
    }
    if (waitpid(-1, nullptr, 0) < 0 && write(told[1], "x", 1) == 1) pause();
    _exit(1);
  }
  char byte = 0;
  REQUIRE(read(told[0], &byte, 1) == 1);
  sbx::os::TreeTimes times;
  times.note(*sbx::os::sample_tree(parent, 0));
  const std::uint64_t alive = times.used()->sum();
  CHECK(alive >= 50'000);
  // A look that finds nobody, as one may, does not make the next one count anew.
  times.note({});
  times.note(*sbx::os::sample_tree(parent, 0));
  CHECK(times.used()->sum() < alive + 50'000);
  REQUIRE(write(go[1], "x", 1) == 1);
  REQUIRE(read(told[0], &byte, 1) == 1);  // it has gone
  times.note(*sbx::os::sample_tree(parent, 0));
  CHECK(times.used()->sum() >= alive);
  CHECK(times.used()->sum() < alive + 50'000);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
}

TEST_CASE("a network that goes while one of its files is opened has gone") {
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const bool apart = unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
    if (write(ready[1], apart ? "x" : "-", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  const std::string path = "/proc/" + std::to_string(child) + "/net/sockstat";
  const sbx::os::UniqueFd found(::open(path.c_str(), O_PATH | O_CLOEXEC));
  kill(child, SIGKILL);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  if (byte != 'x') return;  // a host without user namespaces
  const std::string again = "/proc/self/fd/" + std::to_string(found.get());
  const sbx::os::UniqueFd opened(::open(again.c_str(), O_RDONLY | O_CLOEXEC));
  const int error = errno;
  REQUIRE_FALSE(opened.valid());
  CHECK(error == ENXIO);
  CHECK(sbx::os::is_gone(error));
}
