// The sockets in a sandbox's own network namespace through which it reaches the supervisor, and
// nothing else. With every address routed to lo, a socket on the wildcard address accepts whatever
// was asked for, and getsockname(2) tells it. The payload's process makes them before the command
// runs, and the supervisor gets them.
#pragma once

#include <cstdint>
#include <span>
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
  std::vector<PortSocket> udp{};  ///< likewise as dns_udp: answers from any address that was asked
  /// TCP and UDP of IPv4, then of IPv6 (refused_sockets.hpp): SYNs and datagrams to other ports
  /// than the above, not to loopback, once watch_refused() was called.
  std::vector<UniqueFd> refused{};
  /// Two unconnected sockets for SocketMint, where more are wanted.
  UniqueFd mint_listener{};
  UniqueFd mint_client{};
  bool v6 = true;
};

struct GatewayPorts {
  std::span<const std::uint16_t> tcp{};
  std::span<const std::uint16_t> udp{};
  bool more = false;  ///< sockets are to be made there later
};

/// The payload's process: makes them all and sends them over `channel`. Needs the capabilities of a
/// new network namespace. Allocation-free.
SysResult<void> send_gateway(int channel, const GatewayPorts& ports) noexcept;
/// And waits until the other side has said tell_watched(). kPeerGone: it never will.
SysResult<void> await_watched(int channel) noexcept;
SysResult<void> tell_watched(int channel) noexcept;

/// At most so many are sent for `ports`.
std::size_t most_gateway_sockets(const GatewayPorts& ports);
/// Of all that receive_some() has brought. EAGAIN: there is more to come.
SysResult<GatewaySockets> gateway_of(std::vector<UniqueFd>& received, const GatewayPorts& ports);

}  // namespace sbx::os
