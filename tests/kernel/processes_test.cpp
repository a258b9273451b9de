// What sbx takes for granted of the kernel's processes, signals, terminals and cgroups, one fact a
// test: a kernel that behaves otherwise fails here first. Everything irreversible happens in a
// child.
#include <linux/landlock.h>
#include <poll.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "../support/not_tried.hpp"
#include "kernel_testing.hpp"
#include "os/cgroup_find.hpp"
#include "os/fd.hpp"

using namespace sbx::test;  // NOLINT(google-build-using-namespace)
using sbx::os::UniqueFd;

namespace {

/// Our group in the v2 hierarchy, when it can be written; else "".
std::string own_v2_group() {
  using namespace sbx::os;
  for (const CgroupMount& mount : parse_cgroup_mounts(text_of("/proc/self/mountinfo")))
    for (const CgroupMembership& ours : parse_cgroup_memberships(text_of("/proc/self/cgroup"))) {
      if (mount.version != 2 || ours.version != 2) continue;
      const std::string group = group_below(mount.root, ours.path);
      const std::string folder = mount.point + (group == "/" ? "" : group);
      if (!group.empty() && ::access(folder.c_str(), W_OK) == 0) return folder;
    }
  return "";
}

}  // namespace

TEST_CASE("a close-on-exec pipe reads as ended at exec, and holds a record before it") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/sleep", "sleep", "5", nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  struct ::pollfd watched{ends[0], POLLIN, 0};
  CHECK(::poll(&watched, 1, 4000) == 1);
  char byte = 0;
  CHECK(::read(ends[0], &byte, 1) == 0);
  ::kill(child, SIGKILL);
  CHECK(WTERMSIG(wait_status(child)) == SIGKILL);
  ::close(ends[0]);
}

TEST_CASE(
    "a pidfd is readable when the process has ended, and the rest of its pid namespace with it") {
  int pidfd = -1;
  int alive[2];
  REQUIRE(::pipe2(alive, O_CLOEXEC) == 0);
  const unsigned uid = ::geteuid();
  const unsigned gid = ::getegid();
  struct ::clone_args args{};
  args.flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_PIDFD;
  args.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
  args.exit_signal = SIGCHLD;
  const long pid = ::syscall(SYS_clone3, &args, sizeof args);
  REQUIRE(pid >= 0);
  if (pid == 0) {
    map_to_root(uid, gid);
    if (::fork() == 0) {
      ::setsid();
      ::pause();
    }
    ::usleep(20'000);
    ::_exit(0);
  }
  ::close(alive[1]);
  struct ::pollfd watched[] = {{pidfd, POLLIN, 0}, {alive[0], POLLIN, 0}};
  CHECK(::poll(watched, 1, 5000) == 1);
  wait_status(static_cast<pid_t>(pid));
  // The grandchild held the pipe's other end; init's end took it along.
  CHECK(::poll(watched + 1, 1, 2000) == 1);
  char byte = 0;
  CHECK(::read(alive[0], &byte, 1) == 0);
  ::close(alive[0]);
  ::close(pidfd);
}

TEST_CASE("the parent-death signal is cleared by a change of ids") {
  if (!sbx::test::is_root()) return;
  CHECK(in_child([] {
          int signal = 0;
          expect(::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0);
          expect(::syscall(SYS_setresuid, 1234, 1234, 1234) == 0);
          expect(::prctl(PR_GET_PDEATHSIG, &signal, 0, 0, 0) == 0);
          expect(signal == 0);
        }) == kHolds);
}

TEST_CASE(
    "a signal from outside of the pid namespace has no sender inside, and one from inside has") {
  int ready[2];
  REQUIRE(::pipe2(ready, O_CLOEXEC) == 0);
  const unsigned uid = ::geteuid();
  const unsigned gid = ::getegid();
  struct ::clone_args args{};
  args.flags = CLONE_NEWUSER | CLONE_NEWPID;
  args.exit_signal = SIGCHLD;
  const long pid = ::syscall(SYS_clone3, &args, sizeof args);
  REQUIRE(pid >= 0);
  if (pid == 0) {
    map_to_root(uid, gid);
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    expect(::write(ready[1], "x", 1) == 1);
    siginfo_t info{};
    expect(::sigwaitinfo(&all, &info) == SIGTERM && info.si_pid == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::kill(1, SIGTERM);
      ::_exit(0);
    }
    do expect(::sigwaitinfo(&all, &info) > 0);
    while (info.si_signo == SIGCHLD);
    expect(info.si_signo == SIGTERM && info.si_pid == child);
    ::_exit(kHolds);
  }
  char byte = 0;
  CHECK(::read(ready[0], &byte, 1) == 1);
  CHECK(::kill(static_cast<pid_t>(pid), SIGTERM) == 0);
  CHECK(wait_status(static_cast<pid_t>(pid)) == kHolds);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("the limit on user namespaces is each namespace's own to lower") {
  CHECK(in_child_as_root([&] {
          write_file("/proc/sys/user/max_user_namespaces", "0");
          expect(::unshare(CLONE_NEWUSER) != 0 && errno == ENOSPC);
        }) == kHolds);
  CHECK(in_child([] { expect(::unshare(CLONE_NEWUSER) == 0); }) == kHolds);
}

TEST_CASE("TIOCGPTPEER opens the other end of a pty without its name") {
  const UniqueFd master(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  REQUIRE(master.valid());
  const int unlock = 0;
  REQUIRE(::ioctl(master.get(), TIOCSPTLCK, &unlock) == 0);
  const UniqueFd peer(::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  REQUIRE(peer.valid());
  CHECK(::isatty(peer.get()) == 1);
  CHECK(::write(peer.get(), "x", 1) == 1);
  char byte = 0;
  CHECK(::read(master.get(), &byte, 1) == 1);
  CHECK(byte == 'x');
}

TEST_CASE("Landlock answers with its version, or that it is not there") {
  const long abi =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  const bool absent = abi < 0 && (errno == ENOSYS || errno == EOPNOTSUPP);
  CHECK_MESSAGE((abi >= 1 || absent), "answer ", abi, ", errno ", errno);
}

TEST_CASE("clone3 puts a child into a v2 group before it runs, controllers or none") {
  const std::string parent = own_v2_group();
  if (parent.empty()) {
    if (sbx::test::is_root()) sbx::test::not_tried("needs cgroup-v2: no writable group of it here");
    return;
  }
  const std::string folder = parent + "/sbx-test-kernel-" + std::to_string(::getpid());
  REQUIRE(::mkdir(folder.c_str(), 0755) == 0);
  const UniqueFd group(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct ::clone_args args{};
  args.flags = CLONE_INTO_CGROUP;
  args.exit_signal = SIGCHLD;
  args.cgroup = static_cast<std::uint64_t>(group.get());
  const long pid = ::syscall(SYS_clone3, &args, sizeof args);
  if (pid == 0) {
    const std::string name = folder.substr(folder.rfind('/'));
    expect(text_of("/proc/self/cgroup").find("0::") != std::string::npos);
    expect(text_of("/proc/self/cgroup").find(name + "\n") != std::string::npos);
    ::_exit(kHolds);
  }
  CHECK(pid > 0);
  if (pid > 0) CHECK(wait_status(static_cast<pid_t>(pid)) == kHolds);
  int removed = -1;
  for (int i = 0; i < 100 && removed != 0; ++i) {
    removed = ::rmdir(folder.c_str());
    if (removed != 0) ::usleep(10'000);
  }
  CHECK(removed == 0);
}

TEST_CASE("a cgroup folder can be locked, and the lock ends with the last who has it open") {
  const std::string parent = own_v2_group();
  if (parent.empty()) {
    if (sbx::test::is_root()) sbx::test::not_tried("needs cgroup-v2: no writable group of it here");
    return;
  }
  const std::string folder = parent + "/sbx-test-lock-" + std::to_string(::getpid());
  REQUIRE(::mkdir(folder.c_str(), 0755) == 0);
  const auto open_folder = [&] {
    return UniqueFd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  };
  const UniqueFd ours = open_folder();
  int ready[2];
  REQUIRE(::pipe2(ready, O_CLOEXEC) == 0);
  const pid_t holder = ::fork();
  if (holder == 0) {
    const UniqueFd theirs = open_folder();
    expect(::flock(theirs.get(), LOCK_EX | LOCK_NB) == 0);
    expect(::write(ready[1], "x", 1) == 1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  CHECK(::read(ready[0], &byte, 1) == 1);
  CHECK(::flock(ours.get(), LOCK_EX | LOCK_NB) != 0);
  CHECK(errno == EWOULDBLOCK);
  ::kill(holder, SIGKILL);
  wait_status(holder);
  CHECK(::flock(ours.get(), LOCK_EX | LOCK_NB) == 0);
  CHECK(::rmdir(folder.c_str()) == 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE(
    "a process whose ids changed does not own its own /proc entries until it is dumpable again") {
  if (!sbx::test::is_root()) return;
  CHECK(in_child([] {
          expect(::syscall(SYS_setresuid, 1234, 1234, 1234) == 0);
          expect(::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
          struct ::stat what{};
          expect(::stat("/proc/self/status", &what) == 0 && what.st_uid == 0);
        }) == kHolds);
}
