// The network namespace's loopback interface.
#pragma once

#include "base/error.hpp"

namespace sbx::os {

/// Brings `lo` up in the current network namespace (127.0.0.1 and ::1 follow by themselves).
SysResult<void> raise_loopback() noexcept;

}  // namespace sbx::os
