// One request of rtnetlink(7), and whether it was done. Allocation-free.
#pragma once

#include <cstddef>

#include "base/error.hpp"

namespace sbx::os {

inline constexpr int kLoopback = 1;  ///< `lo` of every network namespace (LOOPBACK_IFINDEX)

/// `request`: a whole message, with NLM_F_ACK.
SysResult<void> ask_rtnetlink(int netlink, const void* request, std::size_t size) noexcept;

}  // namespace sbx::os
