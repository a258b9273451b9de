// What the two child mains work on: the plan, prepared raw values, and the descriptors that travel
// from step to step. Filled by the supervisor before clone; nothing here allocates afterwards.
#pragma once

#include <linux/filter.h>
#include <sys/types.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launcher.hpp"
#include "launch/refused_filter.hpp"
#include "launch/report.hpp"
#include "launch/step_times.hpp"
#include "os/capabilities.hpp"
#include "os/fd.hpp"
#include "os/processors.hpp"
#include "os/secret_memory.hpp"
#include "plan/plan.hpp"

namespace sbx::launch {

/// The plan's filter in the forms in which it is installed (seccomp/notify.hpp).
struct Filters {
  std::span<const sock_filter> plain;   ///< the plan's
  std::vector<sock_filter> told;        ///< with a listener; empty: nobody wants to hear
  std::vector<sock_filter> afterwards;  ///< a second one, once the listener is sent; mostly empty
};

/// Arrays for execve(2) and the capability sets, made before clone.
struct Prepared {
  std::vector<char*> argv;
  std::vector<char*> env;
  std::vector<std::string> candidates;  ///< where the command may be, in order
  Filters filters;
  struct Capabilities {
    std::size_t step;  ///< index of what drops them in the plan
    const std::vector<std::string>* keep;
    std::shared_ptr<const os::CapabilitySet> sets;  ///< mostly one for all of them
  };
  std::vector<Capabilities> capabilities;
  std::span<const os::SecretMemory> secrets;  ///< by Plan::secrets
};

/// A folder that is open, and the path that it was opened by, a part of the plan's.
struct KnownFolder {
  os::UniqueFd fd{};
  std::string_view path{};
};

/// What masks are made of; once one is in /proc it is that, and copies of it are as closed.
struct Cover {
  os::UniqueFd fd{};
  bool closed = false;
};

struct Context {
  const plan::Plan* plan = nullptr;
  const Prepared* prepared = nullptr;
  SharedPage* page = nullptr;
  StepClock clock{};
  StdioFds stdio{};
  int failure_pipe = -1;  ///< write end; its reader is the supervisor
  /// The sandbox's end of the pair over which the supervisor says that the id maps are written,
  /// sends each detached tree, then the v1 groups, and says that it is ready; the payload sends the
  /// pty's master and the filter's listener. Its end of file: the supervisor has died; there: the
  /// payload has ended, or init has died.
  int channel = -1;
  int gateway_channel = -1;  ///< the payload's end of the pair for the gateway's sockets
  bool closed = false;       ///< our memory is open for the id maps alone; it was closed
  // Made on the way:
  ::dev_t host_root = 0;  ///< the device of "/" before the payload was forked
  os::UniqueFd peer{};    ///< between init and payload, each its own end
  os::UniqueFd root{};    ///< the new root's tmpfs; the payload's while lent
  mode_t umask = 0;       ///< the caller's, off while the root is made
  Cover null{};           ///< what covers files
  Cover empty_folder{};   ///< what covers folders: the one below the mount of /proc
  /// The folder of the new root that a step has worked in last: the next often goes on there. What
  /// mounts at a descriptor instead of a name in it forgets it; a name in another folder replaces
  /// it.
  KnownFolder folder{};
  KnownFolder source{};  ///< the same of the host's tree, where binds and copies come from
  os::UniqueFd pty_slave{};
  /// Without namespaces of its own (plan::Plan::shares_host):
  std::uint32_t host_id = 0;           ///< the reserved one, root's runs
  pid_t init_pid = 0;                  ///< as its child sees it
  bool holds_tree = false;             ///< init: orphans come to us, our signals stay in the tree
  os::UniqueFd scratch{};              ///< the private folder, and its lock
  const char* scratch_path = nullptr;  ///< where it is
  os::UniqueFd keeper{};               ///< init: its end says to the keeper that we are gone
  pid_t keeper_pid = 0;                ///< init: the keeper; 0: there is none
  bool filtered = false;               ///< the payload: the filter is in force
  const char* executable = nullptr;    ///< what ResolveExecutable chose
  pid_t payload_pid = 0;
  os::Processors processors{};  ///< for init from its ids on, for the payload from its release on
  std::size_t step_index = 0;
};

}  // namespace sbx::launch
