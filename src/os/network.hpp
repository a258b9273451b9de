// Network namespaces and their loopback interface.
#pragma once

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// A new network namespace for the calling process; a descriptor of it, for enter_network().
SysResult<UniqueFd> new_network() noexcept;

/// Joins that namespace (setns(2)). Needs CAP_SYS_ADMIN in the user namespace that it was made in.
SysResult<void> enter_network(int network_fd) noexcept;

/// Brings `lo` up in the current network namespace (127.0.0.1 and ::1 follow by themselves).
SysResult<void> raise_loopback() noexcept;

}  // namespace sbx::os
