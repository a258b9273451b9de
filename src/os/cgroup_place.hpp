// Gets a home ready for the run's group, in its way (CgroupWay). Runs in the supervisor.
#pragma once

#include <string>

#include "base/error.hpp"
#include "base/host_facts.hpp"
#include "os/cgroup.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// The folder in which the group of `spec` can now be made, handing down its controllers. `at` is
/// its path, or names the file or folder that refused. May move this process: into a leaf, or into
/// a scope of its own.
SysResult<UniqueFd> prepare_home(const CgroupHome& home, const CgroupSpec& spec, std::string& at);

}  // namespace sbx::os
