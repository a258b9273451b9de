// Descriptors across processes (SCM_RIGHTS, unix(7)). Allocation-free: init calls these.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <span>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

inline constexpr std::size_t kMaxInMessage = 64;  ///< the kernel takes 253
inline constexpr std::size_t kMaxPassed = 8;      ///< of those that init and the payload pass

/// What all calls on such a pair of sockets fail with when the other end is gone. It is no error of
/// other calls that we make, so that a step which fails with EPIPE has failed by itself.
constexpr int kPeerGone = EOWNERDEAD;
/// `error` of such a call, as it is told.
constexpr Errno pair_error(int error) noexcept {
  return Errno{error == EPIPE || error == ECONNRESET ? kPeerGone : error};
}

/// How to wait for room: under a filter that may forbid other calls, only by trying again.
enum class WaitForRoom { asleep, awake };

/// Sends all of `fds` (at most kMaxInMessage; may be none) in one message over a unix socket.
///
/// The kernel counts what is on its way for all processes of a user, and refuses more than the
/// sender's soft limit of open files (ETOOMANYREFS; too_many_unix_fds() in net/unix/scm.c). Then
/// the hard one holds for us. Many runs may start at once, so it is tried again until the others'
/// have arrived, for five seconds, or awake for a small part of that. Their receivers wait for
/// nothing else then.
SysResult<void> send_descriptors(int socket, std::span<const int> fds,
                                 WaitForRoom wait = WaitForRoom::asleep) noexcept;

/// Receives one such message, waiting for it when `wait` (EAGAIN otherwise; EMFILE: they did not
/// all find a place). How many they were; those beyond `places` are closed.
SysResult<std::size_t> receive_into(int socket, std::span<UniqueFd> places, bool wait) noexcept;
/// Likewise. Unused places of the result are invalid.
SysResult<std::array<UniqueFd, kMaxPassed>> receive_descriptors(int socket, bool wait) noexcept;

}  // namespace sbx::os
