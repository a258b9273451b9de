// Sockets of the sandbox's that take what is meant for any address. Allocation-free.
#pragma once

#include <netinet/in.h>

#include <cstdint>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// Non-blocking. Where the kernel has IPv6 it is of AF_INET6 and does IPv4 as well (v4-mapped),
/// else of AF_INET.
SysResult<UniqueFd> inner_socket(int type) noexcept;
/// Is `socket` of AF_INET6?
bool is_v6(int socket) noexcept;

/// `port` of every address.
SysResult<void> bind_everywhere(int socket, std::uint16_t port) noexcept;
/// The same, and listens.
SysResult<void> listen_everywhere(int socket, std::uint16_t port) noexcept;

/// 127.0.0.1 or, when `v6`, ::1, in the form that `socket` takes.
struct Loopback {
  Loopback(int socket, bool v6, std::uint16_t port) noexcept;
  [[nodiscard]] const ::sockaddr* address() const noexcept;

  union {
    ::sockaddr_in four;
    ::sockaddr_in6 six;
  } as{};
  ::socklen_t size = 0;
};

}  // namespace sbx::os
