#include "os/cgroup_homes.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "os/cgroup_file.hpp"
#include "os/cgroup_find.hpp"
#include "os/cgroup_scope.hpp"

namespace sbx::os {
namespace {

using Names = std::vector<std::string>;

bool may(const std::string& path, int how) {
  return ::faccessat(AT_FDCWD, path.c_str(), how, AT_EACCESS) == 0;
}

/// Something else may be mounted over the hierarchy since: its file system tells.
bool shows_cgroups(const std::string& path, int version) {
  struct ::statfs facts{};
  if (::statfs(path.c_str(), &facts) != 0) return false;
  return facts.f_type == (version == 2 ? CGROUP2_SUPER_MAGIC : CGROUP_SUPER_MAGIC);
}

Names both(const Names& wanted, const Names& there) {
  Names found;
  std::ranges::copy_if(wanted, std::back_inserter(found), [&there](const std::string& name) {
    return std::ranges::find(there, name) != there.end();
  });
  return found;
}

Names words_in(const std::string& file) { return words_of(read_kernel_text(file), ' '); }

/// Only the hierarchy's real root has no type (cgroup-v2.rst, "cgroup.type"): the one group that
/// may hold processes and hand controllers down.
bool is_real_root(const std::string& folder) { return !may(folder + "/cgroup.type", F_OK); }

/// systemd marks what it has handed over for good; a container's topmost group is its own.
bool was_delegated(const std::string& folder, const std::string& group) {
  char mark = '0';
  return group == "/" ||
         (::getxattr(folder.c_str(), "trusted.delegate", &mark, 1) == 1 && mark == '1') ||
         (::getxattr(folder.c_str(), "user.delegate", &mark, 1) == 1 && mark == '1');
}

struct Members {
  bool us = false;
  std::string other{};  ///< one that is not us, as text; "0": out of our pid namespace's sight
};
Members members_of(const std::string& folder) {
  Members found;
  const std::string self = std::to_string(::getpid());
  for (std::string& pid : words_of(read_kernel_text(folder + "/cgroup.procs"), '\n')) {
    if (pid == self)
      found.us = true;
    else
      found.other = std::move(pid);
  }
  return found;
}

std::string command_of(const std::string& pid) {
  std::string name = read_kernel_text("/proc/" + pid + "/comm");
  if (name.ends_with('\n')) name.pop_back();
  return name.empty() ? "process " + pid : "process " + pid + ", " + name;
}

CgroupHome home_at(const OwnGroup& own, const std::string& group) {
  return {.version = own.version, .mount = own.mount, .group = group};
}

/// A v2 group as a home, or why it is none: it must be ours to write, and hold no process but us,
/// or else its controllers stay its own ("no internal processes").
CgroupHome judge(const OwnGroup& own, const std::string& group, const Names& wanted) {
  CgroupHome home = home_at(own, group);
  const std::string folder = cgroup_folder(own.mount, group);
  home.controllers = both(wanted, words_in(folder + "/cgroup.controllers"));
  home.way = CgroupWay::parent;
  for (const char* file : {"", "/cgroup.procs", "/cgroup.subtree_control"}) {
    if (may(folder + file, W_OK)) continue;
    home.problem = "it is not ours to write";
    return home;
  }
  if (is_real_root(folder)) return home;  // may hold processes and hand down
  const Members members = members_of(folder);
  if (members.us || (own.in_leaf && group == own.group)) home.way = CgroupWay::leaf;
  if (members.other.empty()) return home;
  home.problem = "it holds other processes (" + command_of(members.other) +
                 "), so it cannot hand controllers down";
  home.fix = "start sbx alone in a group of its own, or move them into one below: mkdir " + folder +
             "/host; xargs -n1 <" + folder + "/cgroup.procs >" + folder + "/host/cgroup.procs";
  return home;
}

std::string above(const std::string& group) {
  const std::size_t slash = group.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : group.substr(0, slash);
}

void add_for_root(const OwnGroup& own, const Names& wanted, std::vector<CgroupHome>& homes) {
  // Below limits that somebody has set around us, if we may; units of systemd are never touched.
  if (own.group != "/" && was_delegated(cgroup_folder(own.mount, own.group), own.group))
    homes.push_back(judge(own, own.group, wanted));
  homes.push_back(judge(own, "/", wanted));
}

void add_for_user(const OwnGroup& own, const Names& wanted, std::vector<CgroupHome>& homes) {
  for (std::string group = own.group;; group = above(group)) {
    homes.push_back(judge(own, group, wanted));
    // clone3 into a group wants the common ancestor's cgroup.procs: nothing above helps either.
    if (homes.back().problem == "it is not ours to write" || group == "/") break;
  }
  CgroupHome scope = home_at(own, "");
  scope.way = CgroupWay::scope;
  const ManagerFacts manager = find_user_manager(own.mount);
  scope.controllers = both(wanted, manager.controllers);
  scope.problem = manager.problem;
  scope.fix = manager.fix;
  homes.push_back(std::move(scope));
}

void add_unified(const OwnGroup& own, const Names& wanted, std::vector<CgroupHome>& homes) {
  if (::geteuid() == 0)
    add_for_root(own, wanted, homes);
  else
    add_for_user(own, wanted, homes);
}

/// v2 beside v1 hierarchies that have the controllers: good for killing, freezing and counting CPU
/// time all the same, and for what it hands down already.
void add_beside_v1(const OwnGroup& own, const Names& wanted, std::vector<CgroupHome>& homes) {
  const std::string folder = cgroup_folder(own.mount, own.group);
  CgroupHome home = home_at(own, own.group);
  home.controllers = both(wanted, words_in(folder + "/cgroup.subtree_control"));
  if (!may(folder, W_OK | X_OK) || !may(folder + "/cgroup.procs", W_OK))
    home.problem = "it is not ours to write";
  homes.push_back(std::move(home));
}

void add_v1(const OwnGroup& own, const Names& wanted, std::vector<CgroupHome>& homes) {
  CgroupHome home = home_at(own, own.group);
  home.controllers = both(wanted, own.controllers);
  const std::string folder = cgroup_folder(own.mount, own.group);
  if (!may(folder, W_OK | X_OK)) {
    home.problem = "it is not ours to write";
    // A new v1 cpuset takes nobody before its lists are filled: that is more than a command.
    const bool simple = std::ranges::find(own.controllers, "cpuset") == own.controllers.end();
    if (simple && ::geteuid() != 0) home.fix = own_v1_groups_command({folder});
  }
  homes.push_back(std::move(home));
}

}  // namespace

std::vector<CgroupHome> find_cgroup_homes(const std::vector<std::string>& wanted,
                                          std::string_view mountinfo) {
  std::vector<CgroupHome> homes;
  std::vector<OwnGroup> groups = own_groups(mountinfo, read_kernel_text("/proc/self/cgroup"));
  std::erase_if(groups, [&wanted](const OwnGroup& own) {
    return (own.version == 1 && both(wanted, own.controllers).empty()) ||
           !shows_cgroups(cgroup_folder(own.mount, own.group), own.version);
  });
  std::ranges::stable_sort(groups, std::ranges::greater{}, &OwnGroup::version);
  const bool hybrid = !groups.empty() && groups.back().version == 1;
  for (const OwnGroup& own : groups) {
    if (own.version == 1) add_v1(own, wanted, homes);
    if (own.version == 2 && hybrid) add_beside_v1(own, wanted, homes);
    if (own.version == 2 && !hybrid) add_unified(own, wanted, homes);
  }
  return homes;
}

bool any_lists(const std::vector<CgroupHome>& homes, const std::string& controller) {
  return std::ranges::any_of(homes, [&controller](const CgroupHome& home) {
    return std::ranges::find(home.controllers, controller) != home.controllers.end();
  });
}

namespace {

/// The first group in which memory can be limited; null: there is none.
const CgroupHome* memory_home(const std::vector<CgroupHome>& homes) {
  const auto found = std::ranges::find_if(homes, [](const CgroupHome& home) {
    return home.problem.empty() &&
           std::ranges::find(home.controllers, "memory") != home.controllers.end();
  });
  return found == homes.end() ? nullptr : &*found;
}

}  // namespace

bool swap_can_be_limited(const std::vector<CgroupHome>& homes) {
  const CgroupHome* const memory = memory_home(homes);
  if (memory == nullptr) return false;
  const std::string folder = cgroup_folder(memory->mount, memory->group);
  if (memory->version == 1) return may(folder + "/memory.memsw.limit_in_bytes", F_OK);
  // The real root has no limits of its own; there the kernel's swap support stands for them.
  if (is_real_root(folder)) return may("/proc/swaps", F_OK);
  return may(folder + "/memory.swap.max", F_OK);
}

bool sockets_can_be_limited(const std::vector<CgroupHome>& homes) {
  const CgroupHome* const memory = memory_home(homes);
  return memory != nullptr && memory->version == 1 &&
         may(cgroup_folder(memory->mount, memory->group) + "/memory.kmem.tcp.limit_in_bytes", F_OK);
}

}  // namespace sbx::os
