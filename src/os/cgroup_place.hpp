// Gets a home ready for the run's group, in its way (CgroupWay). Runs in the supervisor.
#pragma once

#include <string>

#include "base/error.hpp"
#include "base/host_facts.hpp"
#include "os/cgroup.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// For a home whose way is `leaf`: moves this process into the leaf of `name`, where all whom it
/// forks from now on are too, so that none of them has to move. `at` as below. The leaf cannot go
/// before who is in it: as those of supervisors, it is left empty, and swept by whoever makes a
/// group there next, this function included.
SysResult<void> make_room(const CgroupHome& home, const std::string& name, std::string& at);

/// The folder in which the group of `spec` can now be made, handing down its controllers. `at` is
/// its path, or names the file or folder that refused. May move this process: into a leaf if it is
/// in none there, or into a scope of its own.
SysResult<UniqueFd> prepare_home(const CgroupHome& home, const CgroupSpec& spec, std::string& at);

}  // namespace sbx::os
