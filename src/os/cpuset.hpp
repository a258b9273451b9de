// The processors of a cpuset: those that somebody asked for, and those that there are.
#pragma once

#include <string>

#include "base/error.hpp"

namespace sbx::os {

/// Those of the group whose folder is open, as the kernel lists them ("0-3,8"); empty: none is
/// known.
std::string processors_there(int dir_fd, int version);

/// Has the group no processor but those of the list `wanted`, which the kernel has taken? cgroup v2
/// also takes one of which none is there, as of processors that are switched off, and the group
/// then has all of its parent's (cgroup-v2.rst, cpuset.cpus.effective). ERANGE, as of numbers that
/// no processor can have.
SysResult<void> check_processors(int dir_fd, int version, const std::string& wanted);

}  // namespace sbx::os
