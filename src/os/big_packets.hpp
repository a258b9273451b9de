// How much TCP puts into one packet on the loopback interface.
#pragma once

#include "base/error.hpp"

namespace sbx::os {

/// Raises it from 64 KB to half a megabyte (`ip link set lo gso_max_size ...`, "BIG TCP":
/// Linux 5.19, for IPv4 6.3), in the current network namespace: a stream through the gateway gets
/// by with an eighth of the packets. An older kernel keeps what it has. Allocation-free.
SysResult<void> enlarge_packets() noexcept;

}  // namespace sbx::os
