// What the gateway asks of TCP sockets, on the host's side and on the sandbox's. Nothing here
// blocks.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "egress/room.hpp"
#include "network/address.hpp"
#include "os/fd.hpp"

namespace sbx::egress {

/// Of AF_INET or AF_INET6; an address of any other family is ::.
network::Endpoint to_endpoint(const ::sockaddr_storage& address);
/// AF_INET6 with a v4-mapped address when `mapped`; else in the address's own family. Its size.
::socklen_t to_sockaddr(const network::Endpoint& endpoint, bool mapped, ::sockaddr_storage& out);

/// Where this end is: of an accepted connection, whom the other end has asked for.
SysResult<network::Endpoint> local_end(int socket);

/// The next connection that waits, non-blocking; EAGAIN: none.
SysResult<os::UniqueFd> accept_stream(int listener);
/// Listens on the host.
SysResult<os::UniqueFd> listen_stream(const network::Endpoint& endpoint);
/// Begins to connect; the socket becomes writable when that has ended, see os::pending_error().
SysResult<os::UniqueFd> start_connect(const network::Endpoint& endpoint, const Room& room);
/// Small writes go out at once: the sender has decided already how to cut its stream.
void pass_at_once(int socket);
/// Its buffers stay within `room`, and those of what it accepts. More than it would have begun with
/// is of use only before it is connected, when TCP agrees on its window.
void keep_within(int socket, const Room& room);
/// Asks for a sign of life after so many seconds of silence, and takes whoever gives none for gone
/// (tcp(7), TCP_KEEPIDLE); so do the sockets that it accepts.
void notice_loss(int socket, int seconds);
inline constexpr int kOutsideSilence = 60;  ///< a way through firewalls stays open by it
inline constexpr int kInsideSilence =
    300;  ///< the payload's process may have ended, and be heard yet
/// The other end has sent its last byte, whether it was read here or not.
bool other_end_has_ended(int socket);
/// Bytes that the other end has not acknowledged yet, our end of the stream among them as one
/// (tcp(7), SIOCOUTQ): so long the kernel keeps them, also of a socket that is closed.
std::size_t unacknowledged(int socket);
/// Whoever takes nothing of what has been sent for so long is taken for gone, also once we are
/// (tcp(7), TCP_USER_TIMEOUT).
void give_up_after(int socket, std::chrono::milliseconds patience);
/// The other end sees a reset, not an end, when the socket is closed (socket(7), SO_LINGER).
void reset_on_close(int socket);

}  // namespace sbx::egress
