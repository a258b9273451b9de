// What the plan needs to know of this host, as plain data. os/probe gathers it once; plan/ reads
// it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cgroup_home.hpp"
#include "base/feature.hpp"
#include "base/git_facts.hpp"
#include "base/image_facts.hpp"

namespace sbx {

enum class EntryType { directory, file, symlink };

/// One entry of a root file system that the sandbox shows: a folder or file to bind, or a symbolic
/// link to recreate.
struct RootEntry {
  std::string path;  ///< absolute, inside the sandbox ("/usr", "/etc/ssl")
  EntryType type = EntryType::directory;
  std::string source{};  ///< absolute on the host (directory, file); empty for a symlink
  std::string link{};    ///< the symlink's text
  /// A small file that everybody may read: a copy costs a start a third of a mount.
  bool copy = false;
};

/// A tool of the profile's `tools:` as found on the host.
struct ToolInstallation {
  std::string name;  ///< as written in the profile
  std::vector<RootEntry>
      trees;  ///< folders and files to show read-only (path == source), and links
  std::vector<std::string> path;             ///< folders to put in front of PATH
  std::map<std::string, std::string> env{};  ///< what the tool needs (GOROOT, JAVA_HOME ...)
  std::string problem{};                     ///< not empty: it was not found; a sentence
  std::string advice{};  ///< what to do about that; empty: it is for want of an installation
};

/// What programs need of this host's graphics processors, for `devices: [gpu]`.
struct GpuFacts {
  std::vector<std::string> nodes{};  ///< that the command's user may open: "/dev/dri/renderD128"
  /// To show read-only: what sysfs says of them, the drivers' settings and libraries.
  std::vector<RootEntry> trees{};
  std::string libraries{};  ///< the folder of these; empty: they are where a loader looks
  std::string problem{};    ///< not empty: why there are none; a sentence without a full stop
  std::string advice{};     ///< what to do about that
};

/// The source of a bind mount or of the workspace, looked at before the plan is made.
struct SourceFacts {
  bool exists = false;
  EntryType type = EntryType::directory;  ///< never symlink: links are resolved
  std::string path{};                     ///< canonical absolute path
  std::uint32_t uid = 0;                  ///< owner
  std::uint32_t gid = 0;
  std::string device{};    ///< "major:minor" of the disk, for I/O limits; empty: none is known
  std::string problem{};   ///< not empty: why it cannot be used (a sentence without a full stop)
  int error = 0;           ///< errno, if it could not be opened
  int refused = 0;         ///< the same, if nothing is wrong with the source but this host refuses
  bool in_memory = false;  ///< a tmpfs, which no I/O limit is about; looked at with `device`
  bool special = false;    ///< a pipe, a socket or a device; its type is file
};

/// A procfs that is mounted on this host: /proc, and what chroots and containers have.
struct ProcMount {
  std::string root;   ///< what of it shows there, as of /proc: "/", "/sys"
  std::string point;  ///< where
};

/// What of a sandbox's namespaces this host refuses.
struct NoNamespaces {
  Feature feature = Feature::user_namespace;
  int error = 0;  ///< 0: whoever tried was killed
};

/// Why a tree of the caller's cannot be shown by an id-mapped mount.
struct NoIdmap {
  int error = 0;
  std::string mount{};  ///< what refuses is mounted in it, here; empty: it does so itself
};

/// What a root of the user's own says of users and groups; nothing of a file that is not there, no
/// plain one, too large, or closed to the sandbox.
struct RootAccounts {
  std::optional<std::string> passwd{};
  std::optional<std::string> group{};
};

struct HostFacts {
  std::uint32_t euid = 0;
  std::uint32_t egid = 0;
  std::string cwd{};
  std::string home{};
  /// What is the caller's home, without links; asked only for a workspace that nobody has named.
  std::vector<std::string> homes{};
  std::map<std::string, std::string> env{};  ///< the caller's environment
  bool stdin_is_tty = false;
  bool stdout_is_tty = false;
  bool stderr_is_tty = false;
  int landlock_abi = 0;  ///< 0: the kernel has no Landlock
  /// Asked only by who may go on without (degrade: userns); nothing: none is refused.
  std::optional<NoNamespaces> no_namespaces{};
  std::string temporary{};  ///< the caller's folder for temporary files; asked likewise
  bool swap_accounting = false;
  /// cgroup v1 only: what sockets buffer can be bounded (memory.kmem.tcp.limit_in_bytes).
  bool socket_accounting = false;
  bool nproc_counts_per_namespace = false;  ///< RLIMIT_NPROC, since Linux 5.14
  bool has_swap = false;      ///< some swap space is in use; looked up only without accounting
  std::string resolv_conf{};  ///< the host's, when the sandbox shares its network
  std::string hosts{};        ///< likewise
  int cpus_online = 1;
  /// The caller's hard limits of setrlimit(2), as far as asked for; without those that are none.
  std::map<std::string, std::uint64_t> hard_limits{};
  /// Of nice and rtprio, by which a process has more than its share of the processors, those whose
  /// hard limit is not 0.
  std::vector<std::string> priorities{};
  bool oom_protected = false;       ///< the caller's oom_score_adj is negative
  std::uint32_t host_id_first = 0;  ///< root only: the range that a run's own host id comes from
  std::uint32_t host_id_count = 0;
  std::vector<CgroupHome> cgroups{};  ///< in the order in which they should be taken
  /// v2 names of controllers that no group has, with the reason if the kernel tells one.
  std::map<std::string, std::string> controller_problems{};
  std::vector<std::string> huge_page_sizes{};    ///< as cgroup files name them: "2MB"
  bool has_huge_pages = false;                   ///< some could be had on this host right now
  std::vector<RootEntry> root_entries{};         ///< for the profile's kind of root
  RootAccounts root_accounts{};                  ///< RootRequest::dir only (os/probe.hpp)
  std::vector<SourceFacts> program_disks{};      ///< what programs are read from; for I/O limits
  std::map<std::string, SourceFacts> sources{};  ///< by source_key()
  /// By canonical path; asked only by root that may go on without (degrade: idmap).
  std::map<std::string, NoIdmap> no_idmap{};
  std::vector<ProcMount> proc_mounts{};
  std::vector<std::string>
      cgroup_mounts{};  ///< where trees of cgroups are; looked for if they may show writable
  std::vector<ToolInstallation> tools{};  ///< in the profile's order
  std::optional<GpuFacts> gpu{};          ///< looked for only when asked
  std::optional<GitFacts> git{};          ///< of the workspace; looked at only when asked
  std::optional<ImageFacts> image{};      ///< of `root: {oci: ...}`
};

/// Of what a profile calls `source`, which is relative to `base` unless it is absolute: profiles of
/// several folders may write the same text, and each means its own file.
std::string source_key(const HostFacts& facts, const std::string& source, const std::string& base);

/// Is `path` (absolute, without links) a home of the caller's, or above one? With none known, every
/// folder at the top may be one.
bool is_home_or_above(const HostFacts& facts, const std::string& path);

}  // namespace sbx
