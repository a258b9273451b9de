// Makes and removes the run's cgroups through libcgroup (only cgroup.cpp includes it), on v1 and
// v2.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

struct CgroupSpec {
  int version = 2;
  std::vector<std::string> controllers;  ///< of one hierarchy; v2: those to find enabled
  std::string mount;                     ///< "/sys/fs/cgroup/memory"
  std::string parent;                    ///< our own group below the mount: "/" or "/a/b"
  std::string name;                      ///< "sbx-..."
  struct Setting {
    std::string file;
    std::string value;
  };
  std::vector<Setting> settings;  ///< written in order
};

/// A group of one run: an open folder with an exclusive flock(2) (so that a sweep knows it is
/// alive) that is removed on destruction. Move-only.
class Cgroup {
 public:
  /// mkdir + lock + settings, by libcgroup. EEXIST, EACCES, ... and a write's errno come back as
  /// they are; nothing is left behind on failure.
  static SysResult<Cgroup> create(const CgroupSpec& spec, std::string& failed_file);
  Cgroup(Cgroup&&) noexcept;
  Cgroup& operator=(Cgroup&&) noexcept;
  ~Cgroup();

  /// v1: the file that a process of one thread moves itself with, by writing "0". Writing a pid to
  /// cgroup.procs instead takes a lock of the whole system and waits some milliseconds for it.
  SysResult<UniqueFd> open_tasks() const;
  /// v2 cgroup.kill; ENOSYS on v1.
  SysResult<void> kill() const;
  [[nodiscard]] int fd() const;
  [[nodiscard]] int version() const;
  [[nodiscard]] bool has(std::string_view controller) const;

 private:
  struct State;
  explicit Cgroup(State* state);
  State* state_ = nullptr;
};

/// Removes the empty groups that killed supervisors left below `mount`+`parent` ("sbx-*", lock
/// free, with nobody holding their lock). Returns how many went.
int sweep_cgroups(const std::string& mount, const std::string& parent);

}  // namespace sbx::os
