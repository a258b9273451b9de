// Being moved into a systemd scope so that the scope cannot be lost. Runs in the supervisor.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace sbx::os {

/// Words of commands, program first. The kernel leaves out who is exiting and says nothing
/// (cgroup_migrate_add_task()), and the manager gives up a scope of which a process is gone,
/// whoever else is in it: so it starts with a process that lives, and the supervisor comes after.
struct ScopeCalls {
  std::function<std::vector<std::string>(pid_t anchor)> start;  ///< the scope, with the anchor
  std::vector<std::string> attach;                              ///< the supervisor to it
};

enum class Moved { yes, refused, late };

/// This process's group in the v2 hierarchy at `mount`; empty: none.
std::string own_v2_group(const std::string& mount);

/// Has the manager move this process into the new scope `unit`, and waits until it is there (a
/// minute at most); EINTR: a signal that ends sbx came meanwhile. `said`: what the calls wrote to
/// standard error.
///
/// The anchor is a child that makes the calls and ends after them. If we are killed at any moment,
/// the scope has been populated nevertheless, and so the manager sees it end.
SysResult<Moved> move_with_anchor(const ScopeCalls& calls, const std::string& mount,
                                  const std::string& unit, std::string& said);

}  // namespace sbx::os
