// From the text of /proc/self/cgroup and /proc/self/mountinfo to the groups we are in. Pure;
// reading the files and trying the folders is find_controllers() in os/probe.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/host_facts.hpp"

namespace sbx::os {

/// One line of mountinfo that mounts a cgroup hierarchy, or a part of one.
struct CgroupMount {
  int version = 0;
  std::string root;                        ///< the hierarchy's group that shows at `point`
  std::string point;                       ///< the mount point
  std::vector<std::string> controllers{};  ///< v1; v2 keeps them in cgroup.controllers
};

/// One line of /proc/PID/cgroup: our group in one hierarchy. No controllers: v2 (or a named v1).
struct CgroupMembership {
  int version = 0;
  std::vector<std::string> controllers{};
  std::string path;
};

std::vector<CgroupMount> parse_cgroup_mounts(std::string_view mountinfo);
std::vector<CgroupMembership> parse_cgroup_memberships(std::string_view proc_cgroup);

/// Where the group `path` shows below a mount of `root`: "/" or "/a/b"; empty when it lies outside
/// (another cgroup namespace, or a bind mount of some other group).
std::string group_below(std::string_view root, std::string_view path);

/// Whether swap can be limited where `controllers` say that memory lives: the file is there.
bool swap_can_be_limited(const std::vector<CgroupController>& controllers);

}  // namespace sbx::os
