// What the two child mains work on: the plan, prepared raw values, and the descriptors that travel
// from step to step. Filled by the supervisor before clone; nothing here allocates afterwards.
#pragma once

#include <linux/filter.h>
#include <sys/types.h>

#include <span>
#include <string_view>
#include <vector>

#include "launch/launcher.hpp"
#include "launch/report.hpp"
#include "os/capabilities.hpp"
#include "os/fd.hpp"
#include "plan/plan.hpp"

namespace sbx::launch {

/// Arrays for execve(2) and the capability sets, made before clone.
struct Prepared {
  std::vector<char*> argv;
  std::vector<char*> env;
  std::vector<std::string> candidates;  ///< where the command may be, in order
  std::span<const sock_filter> filter;
  struct Capabilities {
    std::size_t step;  ///< index of its DropCapabilities in the plan
    os::CapabilitySet sets;
  };
  std::vector<Capabilities> capabilities;
};

struct Context {
  const plan::Plan* plan = nullptr;
  const Prepared* prepared = nullptr;
  SharedPage* page = nullptr;
  StdioFds stdio{};
  int failure_pipe = -1;  ///< write end; its reader is the supervisor
  /// init's end of the pair over which the supervisor says that the id maps are written, then sends
  /// each detached tree, then the v1 groups, and init sends the pty's master. Its end of file: the
  /// supervisor has died.
  int channel = -1;
  // Made on the way:
  os::UniqueFd root{};  ///< the new root's tmpfs
  mode_t umask = 0;     ///< the caller's, off while the root is made
  /// The folder of the new root that a step has worked in last: the next often goes on there. What
  /// mounts at a descriptor instead of a name in it forgets it; a name in another folder replaces
  /// it.
  struct {
    os::UniqueFd fd{};
    std::string_view path{};
  } folder{};
  os::UniqueFd pty_slave{};
  const char* executable = nullptr;  ///< what ResolveExecutable chose
  pid_t payload_pid = 0;
  std::size_t step_index = 0;
};

}  // namespace sbx::launch
