// Makes and removes the run's cgroups, on v1 and v2, below open folders.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/host_facts.hpp"
#include "os/fd.hpp"

namespace sbx::os {

struct CgroupSpec {
  int version = 2;
  std::vector<std::string> controllers;  ///< v1: of one hierarchy; v2: those to have handed down
  std::vector<CgroupHome> homes;         ///< tried in this order
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
  /// mkdir in the first home that takes it, then lock and settings. Nothing is left behind on
  /// failure, but for the moves that a home itself needs (see CgroupWay). The errno is of what was
  /// tried last; `said` then names that file or folder, after those that refused before it.
  static SysResult<Cgroup> create(const CgroupSpec& spec, std::string& said);
  Cgroup(Cgroup&&) noexcept;
  Cgroup& operator=(Cgroup&&) noexcept;
  ~Cgroup();

  /// v1: the file that a process of one thread moves itself with, by writing "0". Writing a pid to
  /// cgroup.procs instead takes a lock of the whole system and waits some milliseconds for it.
  SysResult<UniqueFd> open_tasks() const;
  /// v2 cgroup.kill; ENOSYS on v1.
  SysResult<void> kill() const;
  [[nodiscard]] int fd() const;
  [[nodiscard]] int parent_fd() const;
  [[nodiscard]] int version() const;
  [[nodiscard]] bool has(std::string_view controller) const;

 private:
  struct State;
  explicit Cgroup(State* state);
  static SysResult<Cgroup> create_at(const CgroupHome& home, const CgroupSpec& spec,
                                     std::string& at);
  static SysResult<Cgroup> set_up(Cgroup group, const CgroupSpec& spec, const std::string& path,
                                  std::string& said);
  State* state_ = nullptr;
};

/// Removes the empty groups that killed supervisors left in the folder `parent_fd` ("sbx-RUN", with
/// nobody holding their lock). `live`: the ids of runs, sorted, whose groups need no look, which
/// costs three calls each. Returns how many went.
int sweep_cgroups(int parent_fd, std::span<const std::string> live = {});

}  // namespace sbx::os
