// What this process holds while it only waits, and who may see it.
#pragma once

#include "base/error.hpp"

namespace sbx::os {

/// Lets go of the pages of our own code and constants; what is needed again comes back from the
/// page cache. A sandbox that lives then costs a third of a megabyte instead of two.
void release_code() noexcept;

/// Gives back to the kernel what has been freed; a library keeps megabytes of it, for the next
/// time.
void release_heap() noexcept;

/// From here on nobody else of our user may read our memory or what /proc/PID has of us, and no
/// core file is left, whoever would take it (prctl(2), PR_SET_DUMPABLE). Children have the same.
SysResult<void> close_memory() noexcept;

}  // namespace sbx::os
