#include "os/cgroup_place.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/fail.hpp"
#include "os/cgroup_file.hpp"
#include "os/cgroup_find.hpp"
#include "os/cgroup_scope.hpp"

namespace sbx::os {
namespace {

constexpr const char* kParent = "sbx";

SysResult<UniqueFd> open_folder(int at_fd, const std::string& path) {
  UniqueFd folder(::openat(at_fd, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!folder.valid()) return fail();
  return folder;
}

/// One that is there is as good: another run has made it, or uses it.
SysResult<UniqueFd> make_folder(int at_fd, const std::string& name, GroupFolder kind) {
  SBX_CHECK(make_group_folder(at_fd, name.c_str(), EEXIST, kind));
  return open_folder(at_fd, name);
}

/// "No internal processes" (cgroup-v2.rst): we make room for the controllers by going below. The
/// leaf goes with its group, or a later run sweeps it.
SysResult<void> enter_leaf(const UniqueFd& folder, const std::string& name, std::string& at) {
  const std::string leaf_folder = leaf_name(name);
  const std::string path = at + "/" + leaf_folder;
  at = path;
  const UniqueFd leaf = SBX_TRY(make_folder(folder.get(), leaf_folder, GroupFolder::of_run));
  at = path + "/cgroup.procs";
  return write_control(leaf.get(), "cgroup.procs", "0");
}

/// Whoever started us may have made room for all of us already (make_room()).
bool in_leaf_of(const std::string& mount, const std::string& group) {
  return std::ranges::any_of(
      own_groups(read_kernel_text("/proc/self/mountinfo"), read_kernel_text("/proc/self/cgroup")),
      [&](const OwnGroup& own) { return own.in_leaf && own.mount == mount && own.group == group; });
}

/// A weight counts among siblings, and in its scope the run has none but us: the scope has to weigh
/// as much among the other scopes. By the manager, whose files those are.
std::string cpu_weight(const CgroupSpec& spec) {
  const auto weight = std::ranges::find(spec.settings, "cpu.weight", &CgroupSpec::Setting::file);
  return weight == spec.settings.end() ? "" : weight->value;
}

}  // namespace

SysResult<void> make_room(const CgroupHome& home, const std::string& name, std::string& at) {
  at = cgroup_folder(home.mount, home.group);
  const UniqueFd folder = SBX_TRY(open_folder(AT_FDCWD, at));
  sweep_cgroups(folder.get());
  return enter_leaf(folder, name, at);
}

SysResult<UniqueFd> prepare_home(const CgroupHome& home, const CgroupSpec& spec, std::string& at) {
  std::string group = home.group;
  if (home.way == CgroupWay::scope) {
    at = "the user's systemd manager";
    std::string said;
    auto entered = enter_scope(home.mount, spec.name, cpu_weight(spec), said);
    if (!entered) {
      if (!said.empty()) at += " (" + said + ")";
      return std::unexpected(entered.error());
    }
    group = std::move(*entered);
  }
  const std::string path = cgroup_folder(home.mount, group);
  at = path;
  UniqueFd folder = SBX_TRY(open_folder(AT_FDCWD, path));
  if (home.version == 1 || home.way == CgroupWay::direct) return folder;
  if (home.way != CgroupWay::parent && !in_leaf_of(home.mount, group))
    SBX_CHECK(enter_leaf(folder, spec.name, at));
  at = path + "/cgroup.subtree_control";
  SBX_CHECK(hand_down(folder.get(), spec.controllers));
  at = path;
  if (home.way != CgroupWay::parent) return folder;
  const std::string parent_path = path + "/" + kParent;
  at = parent_path;
  UniqueFd parent = SBX_TRY(make_folder(folder.get(), kParent, GroupFolder::shared));
  at = parent_path + "/cgroup.subtree_control";
  SBX_CHECK(hand_down(parent.get(), spec.controllers));
  at = parent_path;
  return parent;
}

}  // namespace sbx::os
