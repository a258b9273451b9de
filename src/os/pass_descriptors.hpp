// Descriptors across processes (SCM_RIGHTS, unix(7)). Allocation-free: init calls these.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

inline constexpr std::size_t kMaxPassed = 8;  ///< descriptors in one message

/// Sends all of `fds` (at most kMaxPassed; may be none) in one message over a unix socket.
SysResult<void> send_descriptors(int socket, std::span<const int> fds) noexcept;

/// Receives one such message, waiting for it when `wait` (EAGAIN otherwise; EPIPE: the other end is
/// gone). Unused places of the result are invalid.
SysResult<std::array<UniqueFd, kMaxPassed>> receive_descriptors(int socket, bool wait) noexcept;

}  // namespace sbx::os
