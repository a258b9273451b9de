// What a process has of its parent's beside descriptors, signals and limits, and what of it is
// taken away. Called in the payload, before its filter; the OOM score before there is a payload.
#pragma once

#include "base/error.hpp"

namespace sbx::os {

/// personality(2): of the caller's only a 32-bit domain (PER_LINUX32) stays. A debugger's
/// ADDR_NO_RANDOMIZE would make an attack on the payload easier, READ_IMPLIES_EXEC undo W^X.
SysResult<void> reset_personality() noexcept;

/// To the ordinary class from a real-time one (sched(7)), whose tasks no cpu.max binds.
SysResult<void> leave_realtime() noexcept;

/// oom_score_adj = 0 for the process that /proc has as `process` (a number, "self"). Raising it
/// takes no right; by CAP_SYS_RESOURCE of the host's it cannot be lowered again
/// (oom_score_adj_min).
SysResult<void> reset_oom_score(const char* process) noexcept;

/// Joins a session keyring of its own, empty: the inherited one has the caller's keys
/// (session-keyring(7)). Nothing to do where the kernel has none.
SysResult<void> leave_keyring() noexcept;

}  // namespace sbx::os
