// Finds the cgroup hierarchies this process could make groups in: v1, v2, both at once, inside
// containers and cgroup namespaces. Runs in the supervisor, before the plan is made.
#include "os/cgroup_find.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "os/cgroup_remove.hpp"
#include "os/fd.hpp"
#include "os/probe.hpp"

namespace sbx::os {
namespace {

constexpr std::array<std::string_view, 7> kWanted = {"memory", "pids", "cpu",  "cpuacct",
                                                     "cpuset", "io",   "blkio"};

std::string_view take(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return head;
}

std::vector<std::string> wanted_of(std::string_view list, char separator) {
  std::vector<std::string> found;
  while (!list.empty()) {
    const std::string_view name = take(list, separator);
    if (std::ranges::find(kWanted, name) != kWanted.end()) found.emplace_back(name);
  }
  return found;
}

/// mountinfo writes space, tab, newline and backslash as three octal digits (proc(5)).
std::string unescaped(std::string_view text) {
  std::string plain;
  const auto octal = [&text](std::size_t at) { return text[at] >= '0' && text[at] <= '7'; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(i + 1) && octal(i + 2) && octal(i + 3)) {
      plain +=
          static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + text[i + 3] - '0');
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::string read_all(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char chunk[8192];
  ssize_t got = 0;
  while (file.valid() && (got = read(file.get(), chunk, sizeof chunk)) != 0) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) text.append(chunk, static_cast<std::size_t>(got));
  }
  return text;
}

bool may(const std::string& path, int how) {
  return faccessat(AT_FDCWD, path.c_str(), how, AT_EACCESS) == 0;
}

/// Something else may be mounted over the hierarchy since: its file system tells.
bool shows_cgroups(const std::string& path, int version) {
  struct statfs facts{};
  if (statfs(path.c_str(), &facts) != 0) return false;
  return facts.f_type == (version == 2 ? CGROUP2_SUPER_MAGIC : CGROUP_SUPER_MAGIC);
}

/// Our group's place in the first mount that shows it. A mount that does not show it at all (the
/// host's whole tree seen from a cgroup namespace) is no use: what is ours there is unknown.
std::optional<CgroupController> place(const CgroupMembership& membership,
                                      const CgroupMount& mount) {
  CgroupController found;
  found.version = mount.version;
  found.mount = mount.point;
  found.group = group_below(mount.root, membership.path);
  if (found.group.empty()) return std::nullopt;
  if (!shows_cgroups(cgroup_folder(found.mount, found.group), mount.version)) return std::nullopt;
  return found;
}

/// v2 takes one more than a writable folder. Moving a process needs cgroup.procs of the common
/// ancestor, which is our group; and a group that holds processes (ours holds us) cannot hand
/// controllers down unless it does so already, or is the real root, the one without cgroup.type.
bool v2_usable(const std::string& folder, const std::string& handed_down, const std::string& name) {
  if (!may(folder + "/cgroup.procs", W_OK)) return false;
  const std::vector<std::string> names = wanted_of(handed_down, ' ');
  if (std::ranges::find(names, name) != names.end()) return true;
  return !may(folder + "/cgroup.type", F_OK) && may(folder + "/cgroup.subtree_control", W_OK);
}

void add_v1(const CgroupController& where, const std::vector<std::string>& names,
            std::vector<CgroupController>& found) {
  const bool writable = may(cgroup_folder(where.mount, where.group), W_OK | X_OK);
  for (const std::string& name : names) {
    found.push_back(where);
    found.back().name = name;
    found.back().writable = writable;
  }
}

void add_v2(const CgroupController& where, std::vector<CgroupController>& found) {
  const std::string folder = cgroup_folder(where.mount, where.group);
  std::string available = read_all(folder + "/cgroup.controllers");
  std::string handed_down = read_all(folder + "/cgroup.subtree_control");
  std::ranges::replace(available, '\n', ' ');
  std::ranges::replace(handed_down, '\n', ' ');
  const bool writable = may(folder, W_OK | X_OK);
  for (const std::string& name : wanted_of(available, ' ')) {
    found.push_back(where);
    found.back().name = name;
    found.back().writable = writable && v2_usable(folder, handed_down, name);
  }
}

}  // namespace

std::vector<CgroupMount> parse_cgroup_mounts(std::string_view mountinfo) {
  std::vector<CgroupMount> mounts;
  while (!mountinfo.empty()) {
    std::string_view line = take(mountinfo, '\n');
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    std::string_view tail = line.substr(dash + 3);
    const std::string_view type = take(tail, ' ');
    if (type != "cgroup" && type != "cgroup2") continue;
    take(tail, ' ');                                                // the source
    for (int skipped = 0; skipped < 3; ++skipped) take(line, ' ');  // id, parent, major:minor
    CgroupMount mount;
    mount.version = type == "cgroup2" ? 2 : 1;
    mount.root = unescaped(take(line, ' '));
    mount.point = unescaped(take(line, ' '));
    if (mount.version == 1) mount.controllers = wanted_of(tail, ',');
    mounts.push_back(std::move(mount));
  }
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
    memberships.push_back({v2 ? 2 : 1, wanted_of(controllers, ','), std::string(line)});
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

std::vector<CgroupController> find_controllers() {
  const std::vector<CgroupMount> mounts = parse_cgroup_mounts(read_all("/proc/self/mountinfo"));
  std::vector<CgroupController> found;
  for (const CgroupMembership& ours : parse_cgroup_memberships(read_all("/proc/self/cgroup"))) {
    if (ours.version == 1 && ours.controllers.empty()) continue;  // a named hierarchy
    for (const CgroupMount& mount : mounts) {
      if (mount.version != ours.version || mount.controllers != ours.controllers) continue;
      const std::optional<CgroupController> where = place(ours, mount);
      if (!where) continue;
      if (ours.version == 1) add_v1(*where, ours.controllers, found);
      if (ours.version == 2) add_v2(*where, found);
      break;
    }
  }
  return found;
}

bool swap_can_be_limited(const std::vector<CgroupController>& controllers) {
  const auto memory = std::ranges::find(controllers, "memory", &CgroupController::name);
  if (memory == controllers.end()) return false;
  const std::string folder = cgroup_folder(memory->mount, memory->group);
  if (memory->version == 1) return may(folder + "/memory.memsw.limit_in_bytes", F_OK);
  // The real root has no limits of its own; there the kernel's swap support stands for them.
  if (!may(folder + "/cgroup.type", F_OK)) return may("/proc/swaps", F_OK);
  return may(folder + "/memory.swap.max", F_OK);
}

}  // namespace sbx::os
