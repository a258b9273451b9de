// Stops and continues every process of a v2 group at once, unseen by them.
#pragma once

#include <chrono>

#include "base/error.hpp"

namespace sbx::os {

/// Freezes the group whose open folder is `dir_fd`, and waits until the kernel says that all of it
/// stands still. ETIMEDOUT: it did not `within` that time, and runs again. A frozen group can be
/// killed as ever. ENOENT: no v2 group, or a kernel before 5.2.
SysResult<void> freeze_cgroup(int dir_fd, std::chrono::milliseconds within);

/// Lets it go on.
SysResult<void> thaw_cgroup(int dir_fd);

}  // namespace sbx::os
