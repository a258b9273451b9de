// Groups for the tests, made below our own. A hierarchy that this host or user cannot write is
// passed over, and the test says so.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "../support/not_tried.hpp"
#include "os/cgroup.hpp"
#include "os/cgroup_find.hpp"
#include "os/cgroup_remove.hpp"
#include "os/probe.hpp"

namespace sbx::test {

using namespace sbx::os;

inline std::optional<sbx::CgroupController> writable(const std::string& name) {
  for (sbx::CgroupController& found : find_controllers()) {
    if (found.name == name && found.writable) return std::move(found);
  }
  if (is_root()) not_tried("no writable cgroup controller " + name + " here");
  return std::nullopt;
}

inline std::string text_of(const char* file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Our v2 group. A hybrid host has v2 without controllers, so find_controllers() does not name it.
inline std::optional<sbx::CgroupController> unified() {
  for (const CgroupMount& mount : parse_cgroup_mounts(text_of("/proc/self/mountinfo"))) {
    for (const CgroupMembership& ours : parse_cgroup_memberships(text_of("/proc/self/cgroup"))) {
      if (mount.version != 2 || ours.version != 2) continue;
      const std::string group = group_below(mount.root, ours.path);
      const std::string folder = cgroup_folder(mount.point, group);
      if (!group.empty() && access(folder.c_str(), W_OK) == 0)
        return sbx::CgroupController{{}, 2, mount.point, group, true};
    }
  }
  if (is_root()) not_tried("needs cgroup-v2: no writable group of it here");
  return std::nullopt;
}

inline CgroupSpec spec_for(const sbx::CgroupController& where, const std::string& name) {
  const std::string group = "sbx-test-" + std::to_string(getpid()) + "-" + name;
  return {where.version, {where.name}, where.mount, where.group, group, {}};
}

inline std::string path_of(const CgroupSpec& spec) {
  return cgroup_folder(spec.mount, spec.parent) + "/" + spec.name;
}

inline bool is_there(const CgroupSpec& spec) { return access(path_of(spec).c_str(), F_OK) == 0; }

inline std::string first_line(const std::string& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

/// Moves `pid` into the group, on v1 as init moves itself.
inline bool join(const Cgroup& group, pid_t pid) {
  UniqueFd file(openat(group.fd(), "cgroup.procs", O_WRONLY | O_CLOEXEC));
  if (group.version() == 1) {
    auto tasks = group.open_tasks();
    if (!tasks) return false;
    file = std::move(*tasks);
  }
  const std::string text = std::to_string(pid);
  return write(file.get(), text.data(), text.size()) > 0;
}

/// A process that waits to be killed, and goes with this object.
class WaitingChild {
 public:
  WaitingChild() : pid_(fork()) {
    if (pid_ != 0) return;
    pause();
    _exit(0);
  }
  WaitingChild(const WaitingChild&) = delete;
  WaitingChild& operator=(const WaitingChild&) = delete;
  ~WaitingChild() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    wait();
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

  /// Waits until it has ended; the signal that ended it, or 0.
  int wait() {
    int status = 0;
    if (waitpid(std::exchange(pid_, 0), &status, 0) < 0) return -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

 private:
  pid_t pid_;
};

}  // namespace sbx::test
