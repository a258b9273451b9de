// New TCP sockets in the network namespace of a running sandbox, for whoever is outside: a socket
// belongs to the namespace that it was made in, and so does what accept(2) makes of a connection
// there. Both ends of a connection within it are ours; connect(2) with AF_UNSPEC makes them
// unconnected again (tcp_disconnect() in net/ipv4/tcp.c), and the accepted one is new.
//
// Nothing here waits for the payload. It may connect to our listener in the moment that this
// listens, and may have taken any port: the worst is an error.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// Takes the error away that a socket keeps for its next caller, of a connect(2) that did not wait;
/// 0: none.
int pending_error(int socket) noexcept;

class SocketMint {
 public:
  SocketMint() = default;  ///< makes nothing (EBADF)
  /// GatewaySockets::mint_listener and mint_client.
  SocketMint(UniqueFd listener, UniqueFd client) noexcept;

  /// Unconnected and non-blocking, for both families where the sandbox has both. EAGAIN: not now.
  SysResult<UniqueFd> make() noexcept;
  /// Listens on `port` of every address; ports below 1024 need a user namespace that is ours
  /// (capabilities(7)). EADDRINUSE: the payload does, or we.
  SysResult<UniqueFd> listen_on(std::uint16_t port) noexcept;
  /// A connection to who listens on `port` of the sandbox's loopback, at 127.0.0.1 or else at ::1.
  /// ECONNREFUSED: nobody. It may still be on its way (EINPROGRESS is no error): poll(2) tells.
  SysResult<UniqueFd> connect_inside(std::uint16_t port) noexcept;

 private:
  SysResult<void> reach_listener() noexcept;
  SysResult<UniqueFd> try_once() noexcept;
  SysResult<UniqueFd> connected(bool v6, std::uint16_t port) noexcept;

  UniqueFd listener_{};
  UniqueFd client_{};
};

}  // namespace sbx::os
