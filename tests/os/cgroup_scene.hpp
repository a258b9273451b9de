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
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../support/not_tried.hpp"
#include "os/cgroup.hpp"
#include "os/cgroup_file.hpp"
#include "os/cgroup_find.hpp"
#include "os/cgroup_homes.hpp"
#include "os/cgroup_remove.hpp"

namespace sbx::test {

using namespace sbx::os;

inline std::vector<sbx::CgroupHome> homes(const std::vector<std::string>& controllers) {
  return find_cgroup_homes(controllers, read_kernel_text("/proc/self/mountinfo"));
}

/// The first home that could be used and has the controller.
inline std::optional<sbx::CgroupHome> writable(const std::string& name) {
  for (sbx::CgroupHome& home : homes({name})) {
    if (home.problem.empty() && home.controllers == std::vector{name}) return std::move(home);
  }
  if (is_root()) not_tried("no writable cgroup controller " + name + " here");
  return std::nullopt;
}

/// A v2 group for groups that need no controller.
inline std::optional<sbx::CgroupHome> unified() {
  for (sbx::CgroupHome& home : homes({"memory"})) {
    if (home.version != 2 || !home.problem.empty()) continue;
    home.controllers.clear();
    return std::move(home);
  }
  if (is_root()) not_tried("needs cgroup-v2: no writable group of it here");
  return std::nullopt;
}

inline CgroupSpec spec_for(const sbx::CgroupHome& home, const std::string& name) {
  const std::string group = "sbx-test-" + std::to_string(getpid()) + "-" + name;
  return {home.version, home.controllers, {home}, group, {}};
}

inline std::string folder_of(const sbx::CgroupHome& home) {
  return cgroup_folder(home.mount, home.group) + (home.way == sbx::CgroupWay::parent ? "/sbx" : "");
}

inline std::string path_of(const CgroupSpec& spec) {
  return folder_of(spec.homes.front()) + "/" + spec.name;
}

/// sweep_cgroups() of that folder.
inline int sweep(const std::string& folder, std::span<const std::string> live = {}) {
  const UniqueFd opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return sweep_cgroups(opened.get(), live);
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
