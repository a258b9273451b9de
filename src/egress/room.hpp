// How much of the kernel's memory the sockets of a connection may take. No limit of the run's
// counts it, and a reader that has stopped leaves it full: a few connections have what a long way
// needs to be fast, and many have little.
#pragma once

#include <cstdint>

namespace sbx::egress {

/// Of one socket, as SO_RCVBUF and SO_SNDBUF, of which the kernel makes twice as much (socket(7)).
/// 0: it finds by itself what the connection needs (tcp(7), tcp_rmem).
struct Room {
  int receive = 0;
  int send = 0;
  bool operator==(const Room&) const = default;
};

/// To receive in less would be to take back what a new connection has promised already (tcp_rmem,
/// 128 KiB), and a packet of loopback, of 64 KiB, would find no place: it would be lost each time.
inline constexpr Room kLeastRoom{64 * 1024, 32 * 1024};

/// Of the sandbox's side of a connection that is the `alive`-th when it begins.
Room inside_room(std::uint32_t alive);
/// Of the host's side of a connection that is the `alive`-th when it begins. `own`: the most that
/// the kernel gives by itself, in bytes. Pure.
Room outside_room(std::uint32_t alive, const Room& own);
/// On this host.
Room outside_room(std::uint32_t alive);
/// Of one that others begin, for whom the listening socket has agreed on its window already.
Room published_room(std::uint32_t alive);

}  // namespace sbx::egress
