// Routes of the current network namespace.
#pragma once

#include "base/error.hpp"

namespace sbx::os {

/// Makes every address one of this host's: whoever connects anywhere, or sends, arrives here.
/// Without IPv6 (none in the kernel, or switched off) that holds for IPv4, and IPv6 has no route at
/// all. Needs CAP_NET_ADMIN, and `lo` up. Allocation-free.
SysResult<void> route_all_to_self() noexcept;

}  // namespace sbx::os
