// The host uid and gid that a run started by root gets for itself: no two live runs share one.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// An id of the range, ours until the lock closes with this object.
struct HostId {
  std::uint32_t id = 0;
  UniqueFd lock{};
};

/// Locks one id of [first, first + count) in /run/sbx/ids.lock (root's; made when missing). EAGAIN:
/// every id is taken. Closes with the process, however that ends.
SysResult<HostId> reserve_host_id(std::uint32_t first, std::uint32_t count);

}  // namespace sbx::os
