// Being moved into a systemd scope so that the scope cannot be lost. Runs in the supervisor.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace sbx::os {

/// The words of a command, program first, for the anchor with that pid.
using AnchorCommand = std::function<std::vector<std::string>(pid_t anchor)>;

enum class Moved { yes, refused, late };

/// This process's group in the v2 hierarchy at `mount`; empty: none.
std::string own_v2_group(const std::string& mount);

/// Runs the command that has the manager move this process and an anchor into `unit`, and waits
/// until both are there (half a minute at most); EINTR: a signal that ends sbx came meanwhile.
///
/// `said`: what it wrote to standard error. The
/// anchor is a child that makes the call, goes along, and ends once it is there. It is needed
/// because the kernel leaves out who is exiting and says nothing (cgroup_migrate_add_task()):
/// without it the manager would believe in a scope that a supervisor killed just then never
/// populated, and would never see it end.
SysResult<Moved> move_with_anchor(const AnchorCommand& command, const std::string& mount,
                                  const std::string& unit, std::string& said);

}  // namespace sbx::os
