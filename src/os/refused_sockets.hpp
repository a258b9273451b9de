// Raw sockets that see what nobody listens to. For the account of it: the kernel refuses. A packet
// of IPv4 begins with its IP header, one of IPv6 with that of TCP or UDP, and IPV6_PKTINFO tells
// where it went. Allocation-free.
#pragma once

#include <linux/filter.h>

#include <span>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// `family`: AF_INET or AF_INET6; `protocol`: IPPROTO_TCP or IPPROTO_UDP. It takes all that there
/// is until watch_refused(). Non-blocking. Needs CAP_NET_RAW.
SysResult<UniqueFd> refused_socket(int family, int protocol) noexcept;
/// From here on it takes what `filter` passes (launch/refused_filter.hpp), and no more than a few
/// of that at a time. Whoever has the socket may do so, and the supervisor does: the kernel
/// translates a filter in 20 to 30 µs, which the payload's process would be late by.
SysResult<void> watch_refused(int socket, int family, std::span<const sock_filter> filter) noexcept;

}  // namespace sbx::os
