#include "os/cgroup_trial.hpp"

#include <unistd.h>

#include <system_error>
#include <utility>

#include "os/cgroup.hpp"
#include "os/cgroup_file.hpp"
#include "os/cgroup_find.hpp"
#include "os/cgroup_homes.hpp"
#include "os/process.hpp"
#include "os/refused_calls.hpp"

namespace sbx::os {
namespace {

/// 0, or why no child can begin in the group behind `group_fd`.
int clone_into(int group_fd) {
  const auto child = clone_process(0, group_fd);
  if (!child) return child.error().value;
  if (child->pid == 0) end_process(0);
  const auto ended = wait_for(child->pid);
  return ended ? 0 : ended.error().value;
}

void try_home(TriedHome& tried) {
  CgroupHome& home = tried.home;
  const CgroupSpec spec{.version = home.version,
                        .controllers = home.controllers,
                        .homes = {home},
                        .name = "sbx-doctor-" + std::to_string(::getpid()),
                        .settings = {}};
  std::string said;
  const auto made = Cgroup::create(spec, said);
  if (!made) home.problem = said + ": " + std::system_category().message(made.error().value);
  if (made && home.version == 2 && !clone3_kills()) tried.cloned = clone_into(made->fd());
}

std::string place_of(const CgroupHome& home) {
  if (home.way == CgroupWay::scope) return "a scope of the user's systemd manager";
  const std::string folder = cgroup_folder(home.mount, home.group);
  return home.way == CgroupWay::parent ? (folder.ends_with('/') ? folder : folder + "/") + "sbx"
                                       : folder;
}

}  // namespace

std::vector<TriedHome> try_cgroup_homes(const std::vector<std::string>& wanted) {
  std::vector<TriedHome> all;
  bool v2_works = false;
  for (CgroupHome& home : find_cgroup_homes(wanted, read_kernel_text("/proc/self/mountinfo"))) {
    if (home.version == 2 && v2_works) continue;
    TriedHome tried{.home = std::move(home)};
    tried.group = place_of(tried.home);
    if (tried.home.problem.empty()) try_home(tried);
    v2_works = v2_works || (tried.home.version == 2 && tried.home.problem.empty());
    all.push_back(std::move(tried));
  }
  return all;
}

}  // namespace sbx::os
