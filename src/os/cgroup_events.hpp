// What the kernel says of a v2 group as soon as it changes.
#pragma once

#include <chrono>
#include <string_view>

#include "base/error.hpp"

namespace sbx::os {

/// Waits until cgroup.events of the group whose open folder is `dir_fd` has `line` ("frozen 1").
/// ETIMEDOUT: not `within` that time. ENOENT: no v2 group, or a kernel before 5.2.
SysResult<void> await_cgroup_event(int dir_fd, std::string_view line,
                                   std::chrono::milliseconds within);

}  // namespace sbx::os
