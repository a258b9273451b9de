// Gathers HostFacts: what of this host, its kernel and the caller the plan depends on. It is on the
// start-up path, so it asks only for what the request names. Runs in the supervisor.
#include "os/probe.hpp"

#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

#include "base/lexical_path.hpp"
#include "os/cgroup_file.hpp"
#include "os/cgroup_homes.hpp"
#include "os/controller_problems.hpp"
#include "os/git_look.hpp"
#include "os/gpu.hpp"
#include "os/homes.hpp"
#include "os/huge_pages.hpp"
#include "os/idmap_refusals.hpp"
#include "os/landlock.hpp"
#include "os/mountinfo.hpp"
#include "os/namespace_trial.hpp"
#include "os/probe_source.hpp"
#include "os/process.hpp"
#include "os/tools_path.hpp"

namespace sbx::os {
namespace {

Result<std::string> caller_directory() {
  char text[PATH_MAX];
  // The kernel gives "(unreachable)/..." for a folder outside of our root; that is no path.
  const bool found = getcwd(text, sizeof text) != nullptr;
  if (found && text[0] == '/') return std::string(text);
  if (!found && errno == ENOENT) return kRemovedDirectory;
  return std::unexpected(Error{.kind = ErrorKind::host,
                               .what = "the current directory cannot be read",
                               .hint = "change to another one",
                               .sys_errno = found ? 0 : errno});
}

/// $HOME as it is written, or root's.
std::string home_of(const HostFacts& facts) {
  const auto home = facts.env.find("HOME");
  if (home != facts.env.end() && home->second.starts_with('/')) return home->second;
  return facts.euid == 0 ? "/root" : "";
}

/// $TMPDIR as mktemp(1) takes it, or /tmp; without links, empty when it is no folder.
std::string temporary_folder(const HostFacts& facts) {
  const auto named = facts.env.find("TMPDIR");
  const bool usable = named != facts.env.end() && named->second.starts_with('/');
  const SourceFacts folder = look_at_source({usable ? named->second : "/tmp", "/"});
  return folder.exists && folder.type == EntryType::directory ? folder.path : "";
}

/// RLIMIT_NPROC has counted per user namespace since 5.14 (commit 21d1c5e386bc). There is no way to
/// try it without a namespace full of processes, so this one thing is taken from the version.
bool kernel_is_since(int major, int minor) {
  struct ::utsname name{};
  if (::uname(&name) != 0) return false;
  char* rest = nullptr;
  const long have_major = std::strtol(name.release, &rest, 10);
  const long have_minor = *rest == '.' ? std::strtol(rest + 1, nullptr, 10) : 0;
  return have_major > major || (have_major == major && have_minor >= minor);
}

/// Whether any swap space is in use: /proc/swaps has a line of its own for each, below its heading.
/// Of a kernel without it there is no such file; one that cannot be read may tell of some.
bool has_swap() {
  constexpr std::size_t kMost = 1U << 20U;
  const auto swaps = read_regular_file("/proc/swaps", kMost);
  return swaps ? std::ranges::count(*swaps, '\n') > 1 : swaps.error().value != ENOENT;
}

/// What is named twice is looked at once, and so is the same in both places.
void add_source(const SourceRequest& request, bool disk, HostFacts& facts) {
  const auto [place, fresh] =
      facts.sources.try_emplace(source_key(facts, request.source, request.base));
  if (fresh) place->second = look_at_source(request, disk, facts.cwd);
}

/// Of what root shows as its owner's: without namespaces there are no mounts.
std::map<std::string, NoIdmap> unmapped(std::string_view mountinfo, const HostFacts& facts) {
  if (facts.euid != 0 || facts.no_namespaces) return {};
  std::set<std::string> folders;
  for (const auto& [name, source] : facts.sources)
    if (source.exists) folders.insert(source.path);
  if (facts.git && !facts.git->folder.empty()) folders.insert(facts.git->folder);
  return idmap_refusals(folders, mountinfo);
}

/// What of the caller's files `request` asks for, and where they show processes or their groups.
void look_at_files(const ProbeRequest& request, std::string_view mountinfo, HostFacts& facts) {
  facts.proc_mounts = parse_proc_mounts(mountinfo);
  facts.cgroup_mounts.clear();
  if (request.writable) facts.cgroup_mounts = cgroup_mount_points(mountinfo);
  if (mountinfo.empty()) {  // which nobody lets us read
    facts.proc_mounts.push_back({"/", "/proc"});
    facts.cgroup_mounts.emplace_back("/sys/fs/cgroup");
  }
  facts.sources.clear();
  facts.git.reset();
  for (const SourceRequest& source : request.sources) add_source(source, request.disks, facts);
  if (request.git && !request.sources.empty()) {
    const SourceRequest& first = request.sources.front();
    const SourceFacts& workspace = facts.sources[source_key(facts, first.source, first.base)];
    if (workspace.exists && workspace.type == EntryType::directory)
      facts.git = look_at_git(workspace, facts);
  }
  if (request.try_idmap) facts.no_idmap = unmapped(mountinfo, facts);
}

/// Of the root, and of the tools, which may be elsewhere.
void look_at_program_disks(const ProbeRequest& request, HostFacts& facts) {
  const auto look = [&facts](const std::string& path) {
    facts.program_disks.push_back(look_at_source({path, "/"}, true, "/"));
  };
  if (request.root != RootRequest::empty)
    look(request.root == RootRequest::host ? "/usr" : request.root_dir);
  for (const ToolInstallation& tool : facts.tools)
    for (const RootEntry& tree : tool.trees)
      if (!tree.source.empty()) look(tree.source);
}

/// Another pid namespace's shows other processes under our numbers: their memory would be counted,
/// and their files opened.
Result<void> check_procfs() {
  std::array<char, 16> self{};
  const ssize_t length = ::readlink("/proc/self", self.data(), self.size() - 1);
  if (length < 0)
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "/proc cannot be read",
                                 .hint = "mount it: mount -t proc proc /proc",
                                 .sys_errno = errno});
  if (std::string_view(self.data()) == std::to_string(::getpid())) return {};
  return std::unexpected(Error{.kind = ErrorKind::host,
                               .what = "/proc is of another pid namespace than sbx",
                               .hint = "mount the own one: mount -t proc proc /proc (unshare(1): "
                                       "--mount-proc)"});
}

/// A file by which this host names others. One that is not there, or that its reader may not open,
/// is an empty one to a resolver as well (hosts(5), resolv.conf(5)); of any other that could not be
/// copied, the command would find nothing in it, and nobody would be told why.
Result<std::string> names_of_host(const std::string& path) {
  constexpr std::size_t kMost = 32U << 20U;  // lists of refused names are files of some MiB
  auto text = read_regular_file(path, kMost);
  if (text) return *std::move(text);
  const int error = text.error().value;
  if (error == ENOENT || error == ENOTDIR || error == EACCES) return std::string();
  return std::unexpected(
      Error{.kind = ErrorKind::host,
            .what = path + " cannot be copied, as a run with the host's network needs",
            .hint = error == EFBIG ? "it may have 32 MiB" : "make it a file that can be read",
            .sys_errno = error});
}

/// Where groups can be made that have one of `controllers`, and what those can do there.
void look_at_cgroups(const std::vector<std::string>& controllers, const std::string& mountinfo,
                     HostFacts& facts) {
  facts.cgroups = find_cgroup_homes(controllers, mountinfo);
  facts.controller_problems = controller_problems(controllers, facts.cgroups);
  facts.swap_accounting = swap_can_be_limited(facts.cgroups);
  facts.socket_accounting = sockets_can_be_limited(facts.cgroups);
  facts.has_swap = !facts.swap_accounting && has_swap();
  facts.nproc_counts_per_namespace = kernel_is_since(5, 14);
  if (std::ranges::find(controllers, "hugetlb") == controllers.end()) return;
  facts.huge_page_sizes = huge_page_sizes();
  // A controller does without knowing, but not without the sizes, which name its files.
  if (facts.huge_page_sizes.empty() || !any_lists(facts.cgroups, "hugetlb"))
    facts.has_huge_pages = has_huge_pages();
}

/// What the root shows. Error: a folder that is to be it cannot be read.
Result<void> look_at_root(const ProbeRequest& request, HostFacts& facts) {
  switch (request.root) {
    case RootRequest::host:
      facts.root_entries = SBX_TRY(host_root_entries());
      break;
    case RootRequest::dir:
      facts.root_entries = SBX_TRY(dir_root_entries(request.root_dir));
      facts.root_accounts = accounts_of_root(request.root_dir);
      break;
    case RootRequest::empty:
      break;
  }
  return {};
}

}  // namespace

std::map<std::string, std::string> caller_environment() {
  std::map<std::string, std::string> env;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string_view::npos) continue;
    env.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return env;
}

/// The raw call, because cpu_set_t ends at 1024 and the kernel refuses a mask that is smaller than
/// its own.
int usable_cpus() {
  unsigned long mask[8192 / (8 * sizeof(unsigned long))] = {};
  if (syscall(SYS_sched_getaffinity, 0, sizeof mask, mask) <= 0) return 1;
  int count = 0;
  for (const unsigned long word : mask) count += std::popcount(word);
  return count;
}

void look_again(const ProbeRequest& request, HostFacts& facts) {
  look_at_files(request, read_kernel_text("/proc/self/mountinfo"), facts);
}

Result<HostFacts> probe(ProbeRequest request) {
  HostFacts facts;
  facts.euid = geteuid();
  facts.egid = getegid();
  facts.cwd = SBX_TRY(caller_directory());
  facts.env = std::move(request.env);
  facts.home = home_of(facts);
  if (request.homes) facts.homes = homes_of(facts);
  facts.stdin_is_tty = isatty(STDIN_FILENO) == 1;
  facts.stdout_is_tty = isatty(STDOUT_FILENO) == 1;
  facts.stderr_is_tty = isatty(STDERR_FILENO) == 1;
  facts.landlock_abi = landlock_abi();
  facts.cpus_online = usable_cpus();
  for (const std::string& name : request.rlimits)
    if (const auto hard = hard_limit(name)) facts.hard_limits.emplace(name, *hard);
  for (const char* const name : {"nice", "rtprio"})
    if (hard_limit(name) != 0) facts.priorities.emplace_back(name);  // nothing: without limit
  facts.oom_protected = read_kernel_text("/proc/self/oom_score_adj").starts_with('-');
  facts.host_id_first = SBX_HOST_ID_FIRST;
  facts.host_id_count = SBX_HOST_ID_COUNT;
  SBX_CHECK(check_procfs());
  const std::string mountinfo = read_kernel_text("/proc/self/mountinfo");
  if (!request.controllers.empty()) look_at_cgroups(request.controllers, mountinfo, facts);
  if (request.try_namespaces) {
    facts.no_namespaces = namespaces_refused();
    facts.temporary = temporary_folder(facts);
  }
  if (request.host_network) {
    facts.resolv_conf = SBX_TRY(names_of_host("/etc/resolv.conf"));
    facts.hosts = SBX_TRY(names_of_host("/etc/hosts"));
  }
  SBX_CHECK(look_at_root(request, facts));
  look_at_files(request, mountinfo, facts);
  for (const std::string& tool : request.tools) facts.tools.push_back(find_tool(tool, facts));
  if (request.disks) look_at_program_disks(request, facts);
  if (request.gpu) facts.gpu = find_gpu(facts.euid == 0, request.root == RootRequest::host);
  return facts;
}

}  // namespace sbx::os
