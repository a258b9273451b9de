// Looks at this host once, before the plan is made; everything plan/ may know of the host.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/host_facts.hpp"

namespace sbx::os {

/// A bind source to look at. Relative: beneath `base`, and links must stay beneath it (a payload of
/// an earlier run may have planted one); absolute: links are followed, the caller wrote the path.
struct SourceRequest {
  std::string source;
  std::string base;
};

enum class RootRequest { host, dir, empty };

/// The caller's environment; of a name that is there twice the first, as in getenv(3).
std::map<std::string, std::string> caller_environment();

struct ProbeRequest {
  std::map<std::string, std::string> env{};  ///< caller_environment(): goes into the facts
  RootRequest root = RootRequest::host;
  std::string root_dir{};                ///< RootRequest::dir: absolute
  std::vector<SourceRequest> sources{};  ///< facts are keyed by source_key()
  std::vector<std::string> tools{};
  bool gpu = false;                        ///< look for graphics processors
  std::vector<std::string> controllers{};  ///< that limits need, by their v1 and v2 names
  std::vector<std::string> rlimits{};      ///< that the profile sets, by name
  bool writable = true;         ///< files of the host's may be written to: look for its cgroups
  bool disks = false;           ///< look for the disk behind each source (a limit of I/O)
  bool try_namespaces = false;  ///< the run may go on without them
  bool try_idmap = false;       ///< likewise: folders whose owners show as they are on disk
  bool git = false;             ///< of the first source, which is the workspace: what git obeys
  bool homes = false;           ///< the workspace's folder may be the caller's home unasked
  bool host_network = false;    ///< read what the sandbox needs to share the host's network
};

/// Gathers the facts. Fails only when /proc, the caller's directory or what the root shows cannot
/// be read at all; what a single source or tool lacks is in its `problem`.
Result<HostFacts> probe(ProbeRequest request);

/// The processors that this process may use.
int usable_cpus();

/// Looks anew at the sources of `request`, at git if it says so, and at where processes show;
/// everything else stays as it is in `facts`.
void look_again(const ProbeRequest& request, HostFacts& facts);

/// Where `name` is installed, as the caller's environment would run it. (tools.cpp)
ToolInstallation find_tool(const std::string& name, const HostFacts& facts);

/// What of the host's own tree a sandbox shows: /usr, the /bin links, parts of /etc.
/// (root_entries.cpp) Errors: nobody can tell whether one of them is there.
Result<std::vector<RootEntry>> host_root_entries();
/// The same for a root file system in a folder. Errors: the folder cannot be read.
Result<std::vector<RootEntry>> dir_root_entries(const std::string& dir);
/// Whom it knows. (root_accounts.cpp)
RootAccounts accounts_of_root(const std::string& dir);

}  // namespace sbx::os
