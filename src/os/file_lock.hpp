// A lock that somebody else may hold for as long as he likes.
#pragma once

#include "base/error.hpp"

namespace sbx::os {

/// flock(2) with `how` (LOCK_SH, LOCK_EX), waiting for it. Whoever has it may be stopped: a run,
/// which has blocked the signals that ask it to end, waits for those as well: EINTR.
SysResult<void> lock_file(int fd, int how) noexcept;

}  // namespace sbx::os
