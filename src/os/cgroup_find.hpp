// From the text of /proc/self/cgroup and /proc/self/mountinfo to the groups we are in. Pure; what
// can be done with them is cgroup_homes.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

/// The folder of `group` ("/" or "/a/b") in the hierarchy mounted at `mount`.
std::string cgroup_folder(const std::string& mount, const std::string& group);

/// Of a v2 group that hands controllers down and so can hold no process itself: the name of the
/// group below it in which the supervisor of the run or batch `name` is.
std::string leaf_name(const std::string& name);

/// The group whose leaf `group` is by its name; empty: it is none.
std::string above_leaf(const std::string& group);

/// The words of `list`, split at `separator` or a newline.
std::vector<std::string> words_of(std::string_view list, char separator);

/// Our group in one hierarchy, and where it shows.
struct OwnGroup {
  int version = 0;
  std::vector<std::string> controllers{};  ///< v1: the hierarchy's
  std::string mount{};
  std::string group{};
  bool in_leaf = false;  ///< v2: we are in its leaf, which was made to keep it free
};

/// Joins the two texts: our groups in hierarchies that are mounted so that they show. Whoever is in
/// a leaf of sbx's own counts as in the group above it.
std::vector<OwnGroup> own_groups(std::string_view mountinfo, std::string_view proc_cgroup);

}  // namespace sbx::os
