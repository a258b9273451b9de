// Reads what the kernel says of cgroups: v1, v2, both at once, inside containers and cgroup
// namespaces.
#include "os/cgroup_find.hpp"

#include <algorithm>

#include "base/take.hpp"
#include "os/mountinfo.hpp"

namespace sbx::os {
namespace {

constexpr std::string_view kLeafBegin = "sbx-";
constexpr std::string_view kLeafEnd = "-supervisor";

/// Among a v1 mount's options are its controllers, and some that are none.
bool is_option(std::string_view word) {
  return word == "rw" || word == "ro" || word == "xattr" || word == "noprefix" ||
         word == "clone_children" || word == "cpuset_v2_mode" || word == "favordynmods" ||
         word == "none" || word.contains('=');
}

std::vector<std::string> controllers_of(std::string_view options) {
  std::vector<std::string> found = words_of(options, ',');
  std::erase_if(found, is_option);
  return found;
}

}  // namespace

std::vector<std::string> words_of(std::string_view list, char separator) {
  std::vector<std::string> found;
  while (!list.empty()) {
    std::string_view line = take(list, '\n');
    while (!line.empty())
      if (const std::string_view word = take(line, separator); !word.empty())
        found.emplace_back(word);
  }
  return found;
}

std::vector<CgroupMount> parse_cgroup_mounts(std::string_view mountinfo) {
  std::vector<CgroupMount> mounts;
  each_mount(mountinfo, {"cgroup", "cgroup2"}, [&mounts](const MountLine& line) {
    CgroupMount mount;
    mount.version = line.type == "cgroup2" ? 2 : 1;
    mount.root = unescaped(line.root);
    mount.point = unescaped(line.point);
    if (mount.version == 1) mount.controllers = controllers_of(line.options);
    mounts.push_back(std::move(mount));
  });
  return mounts;
}

std::vector<CgroupMembership> parse_cgroup_memberships(std::string_view proc_cgroup) {
  std::vector<CgroupMembership> memberships;
  while (!proc_cgroup.empty()) {
    std::string_view line = take(proc_cgroup, '\n');
    const std::string_view id = take(line, ':');
    const std::string_view controllers = take(line, ':');
    if (!line.starts_with('/')) continue;
    const bool v2 = id == "0" && controllers.empty();
    memberships.push_back({v2 ? 2 : 1, controllers_of(controllers), std::string(line)});
  }
  return memberships;
}

std::string group_below(std::string_view root, std::string_view path) {
  std::string_view below = path;
  if (root != "/") {
    if (!path.starts_with(root)) return {};
    below = path.substr(root.size());
    if (below.empty()) return "/";
    if (!below.starts_with('/')) return {};
  }
  // "/../x": our group lies above the cgroup namespace's root, and so above what is mounted.
  const std::string with_end = std::string(below) + "/";
  return with_end.contains("/../") ? std::string() : std::string(below);
}

std::string cgroup_folder(const std::string& mount, const std::string& group) {
  return group == "/" || group.empty() ? mount : mount + group;
}

std::string leaf_name(const std::string& name) { return name + std::string(kLeafEnd); }

std::string above_leaf(const std::string& group) {
  const std::size_t slash = group.rfind('/');
  if (slash == std::string::npos) return {};
  const std::string_view name = std::string_view(group).substr(slash + 1);
  if (!name.starts_with(kLeafBegin) || !name.ends_with(kLeafEnd)) return {};
  return slash == 0 ? "/" : group.substr(0, slash);
}

std::vector<OwnGroup> own_groups(std::string_view mountinfo, std::string_view proc_cgroup) {
  const std::vector<CgroupMount> mounts = parse_cgroup_mounts(mountinfo);
  std::vector<OwnGroup> found;
  for (CgroupMembership& ours : parse_cgroup_memberships(proc_cgroup)) {
    if (ours.version == 1 && ours.controllers.empty()) continue;  // a named hierarchy
    for (const CgroupMount& mount : mounts) {
      if (mount.version != ours.version || mount.controllers != ours.controllers) continue;
      // A mount that does not show our group (the host's whole tree seen from a cgroup namespace)
      // is no use: what is ours there is unknown.
      std::string group = group_below(mount.root, ours.path);
      if (group.empty()) continue;
      std::string above = ours.version == 2 ? above_leaf(group) : std::string();
      const bool in_leaf = !above.empty();
      found.push_back({ours.version, std::move(ours.controllers), mount.point,
                       in_leaf ? std::move(above) : std::move(group), in_leaf});
      break;
    }
  }
  return found;
}

}  // namespace sbx::os
