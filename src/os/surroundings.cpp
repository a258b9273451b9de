#include "os/surroundings.hpp"

#include <linux/capability.h>
#include <linux/magic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "os/landlock.hpp"
#include "os/refused_calls.hpp"
#include "os/tools_path.hpp"

namespace sbx::os {
namespace {

bool is_procfs() {
  struct ::statfs what{};
  if (::statfs("/proc", &what) != 0 || what.f_type != PROC_SUPER_MAGIC) return false;
  // Another pid namespace's shows other processes under our numbers.
  std::array<char, 16> self{};
  const ssize_t length = ::readlink("/proc/self", self.data(), self.size() - 1);
  return length > 0 && std::string_view(self.data()) == std::to_string(::getpid());
}

/// A seccomp filter is on us. prctl(2) may be what it refuses, so it is asked only without /proc.
bool is_filtered() {
  constexpr std::string_view kField = "\nSeccomp:\t";
  const std::string status = read_small_file("/proc/self/status").value_or("");
  const std::size_t at = status.find(kField);
  if (at != std::string::npos) return status.substr(at + kField.size(), 1) == "2";
  constexpr int kFilterMode = 2;
  return ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == kFilterMode;
}

/// Capabilities in effect that are not there. The raw call: libcap would bring its own idea of
/// versions.
std::vector<std::string> lacking_capabilities() {
  struct Named {
    unsigned number;
    const char* name;
  };
  constexpr std::array kNeeded{Named{CAP_SYS_ADMIN, "CAP_SYS_ADMIN"},
                               Named{CAP_SETUID, "CAP_SETUID"}, Named{CAP_SETGID, "CAP_SETGID"},
                               Named{CAP_CHOWN, "CAP_CHOWN"}};
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  const bool known = ::syscall(SYS_capget, &head, sets.data()) == 0;
  std::vector<std::string> lacking;
  for (const Named& one : kNeeded)
    if (!known || (sets[0].effective & (1U << one.number)) == 0) lacking.emplace_back(one.name);
  return lacking;
}

std::string first_line(const std::string& file) {
  std::string text = read_small_file(file).value_or("");
  text.resize(std::min(text.find_first_of(std::string_view("\n\0", 2)), text.size()));
  return text;
}

/// Mount points as mountinfo has them: proc_pid_mountinfo(5), the fifth word of each line.
std::vector<std::string> mount_points() {
  std::vector<std::string> points;
  std::ifstream lines("/proc/self/mountinfo");  // may well be longer than a small file
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i < 5; ++i) words >> word;
    points.push_back(std::move(word));
  }
  return points;
}

void read_mounts(Surroundings& around) {
  const std::vector<std::string> points = mount_points();
  // A process in a chroot is shown what is mounted below it, and its root is none of that.
  around.chrooted = !points.empty() && std::ranges::find(points, "/") == points.end();
  for (const std::string& point : points)
    if (point.starts_with("/proc/") && point != "/proc/sys/fs/binfmt_misc")
      around.masked.push_back(point);
}

std::vector<IdRange> id_ranges(const std::string& file) {
  std::vector<IdRange> ranges;
  std::istringstream words(read_small_file(file).value_or(""));
  IdRange range;
  for (std::uint64_t outside = 0; words >> range.first >> outside >> range.count;)
    ranges.push_back(range);
  return ranges;
}

void read_settings(Surroundings& around) {
  constexpr std::array kNames{
      "kernel.unprivileged_userns_clone", "kernel.apparmor_restrict_unprivileged_userns",
      "user.max_user_namespaces",         "user.max_mnt_namespaces",
      "user.max_pid_namespaces",          "user.max_ipc_namespaces",
      "user.max_uts_namespaces",          "user.max_net_namespaces",
      "user.max_cgroup_namespaces",       "user.max_time_namespaces"};
  for (const std::string name : kNames) {
    std::string path = "/proc/sys/" + name;
    std::ranges::replace(path.begin() + 10, path.end(), '.', '/');
    const std::string value = first_line(path);
    if (!value.empty()) around.settings[name] = std::strtoll(value.c_str(), nullptr, 10);
  }
}

/// Whose sandbox this looks like. Only words of an error depend on it: anybody inside could forge
/// it.
std::string container_here() {
  const std::string init = first_line("/proc/1/comm");
  if (init == "sbx-init") return "sbx";
  if (init == "bwrap") return "bubblewrap";
  if (::access("/.dockerenv", F_OK) == 0) return "docker";
  if (::access("/run/.containerenv", F_OK) == 0) return "podman";
  if (::access("/.flatpak-info", F_OK) == 0) return "flatpak";
  if (std::getenv("KUBERNETES_SERVICE_HOST") != nullptr) return "kubernetes";
  std::string told = first_line("/run/systemd/container");
  if (const char* variable = std::getenv("container"); told.empty() && variable != nullptr)
    told = variable;
  return told == "oci" ? "a container" : told;
}

std::optional<std::uint64_t> limit_of(__rlimit_resource resource) {
  struct ::rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

}  // namespace

Surroundings look_around() {
  Surroundings around;
  around.euid = ::geteuid();
  around.egid = ::getegid();
  around.lacking = lacking_capabilities();
  around.admin = std::ranges::find(around.lacking, "CAP_SYS_ADMIN") == around.lacking.end();
  if (struct ::utsname name{}; ::uname(&name) == 0) around.kernel = name.release;
  around.filtered = is_filtered();
  around.proc = is_procfs();
  read_mounts(around);
  around.container = container_here();
  around.landlock_abi = landlock_abi();
  around.lsm = first_line("/sys/kernel/security/lsm");
  around.label = first_line("/proc/self/attr/current");
  around.run_id = SBX_HOST_ID_FIRST;
  around.uids = id_ranges("/proc/self/uid_map");
  around.gids = id_ranges("/proc/self/gid_map");
  read_settings(around);
  for (const char* kind : {"user", "mnt", "pid", "ipc", "uts", "net", "cgroup", "time"})
    if (::access((std::string("/proc/self/ns/") + kind).c_str(), F_OK) == 0)
      around.namespaces.emplace_back(kind);
  around.processes = limit_of(RLIMIT_NPROC);
  around.files = limit_of(RLIMIT_NOFILE);
  const bool apparmor =
      around.setting("kernel.apparmor_restrict_unprivileged_userns").value_or(0) != 0;
  around.refused = find_refused_calls(around.filtered, around.admin || !apparmor);
  return around;
}

}  // namespace sbx::os
