// The sockets in a sandbox's own network namespace through which it reaches the supervisor, and
// nothing else. With every address routed to lo, a socket on the wildcard address accepts whatever
// was asked for, and getsockname(2) tells it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

struct PortSocket {
  std::uint16_t port = 0;
  UniqueFd socket{};
};

/// All non-blocking, and where the kernel has IPv6, both families in one socket (v4-mapped).
struct GatewaySockets {
  UniqueFd dns_udp{};             ///< port 53, with IPV6_RECVPKTINFO (or IP_PKTINFO)
  UniqueFd dns_tcp{};             ///< port 53, listening
  std::vector<PortSocket> tcp{};  ///< listening
  std::vector<PortSocket> udp{};  ///< with IPV6_RECVPKTINFO (or IP_PKTINFO)
  /// Raw sockets with a filter that lets through what nobody listens to: SYNs and datagrams to
  /// other ports than the above, not to loopback. For the account of what was refused (the kernel
  /// refuses).
  std::vector<UniqueFd> refused{};
  /// Two unconnected sockets, of which the first listens on 127.0.0.1: see SocketMint.
  UniqueFd mint_listener{};
  UniqueFd mint_client{};
  bool v6 = true;
};

}  // namespace sbx::os
