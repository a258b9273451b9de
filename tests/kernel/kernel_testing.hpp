// What the kernel tests share: children that say which line of theirs does not hold.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

namespace sbx::test {

inline constexpr int kHolds = 0;

/// Ends the child: 0 when `holds`, else its line, which the parent reports.
inline void expect(bool holds, int line = __builtin_LINE()) {
  if (holds) return;
  (void)std::fprintf(stderr, "kernel_test: line %d does not hold (errno %d, %s)\n", line, errno,
                     std::strerror(errno));
  ::_exit(1);
}

inline int wait_status(pid_t pid) {
  int status = -1;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Runs `body` in a child with these namespaces; kHolds when it came through.
inline int in_child(const std::function<void()>& body, std::uint64_t namespaces = 0) {
  struct ::clone_args args{};
  args.flags = namespaces;
  args.exit_signal = SIGCHLD;
  const long pid = ::syscall(SYS_clone3, &args, sizeof args);
  REQUIRE_MESSAGE(pid >= 0, "clone3: ", std::strerror(errno));
  if (pid == 0) {
    body();
    ::_exit(kHolds);
  }
  return wait_status(static_cast<pid_t>(pid));
}

inline void write_file(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  expect(fd >= 0);
  expect(::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  ::close(fd);
}

/// In a new user namespace: our own ids become 0 inside.
inline void map_to_root(unsigned uid, unsigned gid) {
  write_file("/proc/self/setgroups", "deny");
  write_file("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1");
  write_file("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1");
}

inline void private_mounts() {
  expect(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0);
}

/// in_child(), as root of a user namespace of its own; its mounts, with CLONE_NEWNS, are private.
inline int in_child_as_root(const std::function<void()>& body, std::uint64_t namespaces = 0) {
  const unsigned uid = ::geteuid();
  const unsigned gid = ::getegid();
  const auto as_root = [&] {
    map_to_root(uid, gid);
    if ((namespaces & CLONE_NEWNS) != 0) private_mounts();
    body();
  };
  return in_child(as_root, namespaces | CLONE_NEWUSER);
}

inline std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace sbx::test
