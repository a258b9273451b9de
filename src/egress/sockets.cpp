#include "egress/sockets.hpp"

#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>

#include "base/fail.hpp"

namespace sbx::egress {
namespace {

constexpr std::size_t kMapped = 12;  // bytes before an IPv4 address in its IPv6 form

void set(int socket, int level, int option, int value) {
  // A connection that stays without it is slower, not less safe.
  (void)::setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

network::Endpoint to_endpoint(const ::sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    ::sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    network::Endpoint endpoint{network::v4(0, 0, 0, 0), ntohs(in.sin_port)};
    std::memcpy(endpoint.address.bytes.data() + kMapped, &in.sin_addr, sizeof in.sin_addr);
    return endpoint;
  }
  network::Endpoint endpoint;
  if (address.ss_family != AF_INET6) return endpoint;
  ::sockaddr_in6 in6{};
  std::memcpy(&in6, &address, sizeof in6);
  std::memcpy(endpoint.address.bytes.data(), &in6.sin6_addr, sizeof in6.sin6_addr);
  endpoint.port = ntohs(in6.sin6_port);
  return endpoint;
}

::socklen_t to_sockaddr(const network::Endpoint& endpoint, bool mapped, ::sockaddr_storage& out) {
  out = {};
  if (endpoint.address.is_v4() && !mapped) {
    ::sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(endpoint.port);
    std::memcpy(&in.sin_addr, endpoint.address.bytes.data() + kMapped, sizeof in.sin_addr);
    std::memcpy(&out, &in, sizeof in);
    return sizeof in;
  }
  ::sockaddr_in6 in6{};
  in6.sin6_family = AF_INET6;
  in6.sin6_port = htons(endpoint.port);
  std::memcpy(&in6.sin6_addr, endpoint.address.bytes.data(), sizeof in6.sin6_addr);
  std::memcpy(&out, &in6, sizeof in6);
  return sizeof in6;
}

SysResult<network::Endpoint> local_end(int socket) {
  ::sockaddr_storage address{};
  ::socklen_t size = sizeof address;
  if (::getsockname(socket, reinterpret_cast<::sockaddr*>(&address), &size) != 0) return fail();
  return to_endpoint(address);
}

SysResult<os::UniqueFd> accept_stream(int listener) {
  os::UniqueFd accepted(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!accepted.valid()) return fail();
  return accepted;
}

SysResult<os::UniqueFd> listen_stream(const network::Endpoint& endpoint) {
  ::sockaddr_storage address{};
  const ::socklen_t size = to_sockaddr(endpoint, false, address);
  os::UniqueFd made(::socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.valid()) return fail();
  // The port of a run that has just ended is free, whatever its last connections still wait for.
  set(made.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (address.ss_family == AF_INET6) set(made.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
  keep_within(made.get(), published_room(1));
  notice_loss(made.get(), kOutsideSilence);
  if (::bind(made.get(), reinterpret_cast<const ::sockaddr*>(&address), size) != 0 ||
      ::listen(made.get(), SOMAXCONN) != 0)
    return fail();
  return made;
}

SysResult<os::UniqueFd> start_connect(const network::Endpoint& endpoint, const Room& room) {
  ::sockaddr_storage address{};
  const ::socklen_t size = to_sockaddr(endpoint, false, address);
  os::UniqueFd made(::socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.valid()) return fail();
  pass_at_once(made.get());
  keep_within(made.get(), room);
  notice_loss(made.get(), kOutsideSilence);
  if (::connect(made.get(), reinterpret_cast<const ::sockaddr*>(&address), size) != 0 &&
      errno != EINPROGRESS)
    return fail();
  return made;
}

void pass_at_once(int socket) { set(socket, IPPROTO_TCP, TCP_NODELAY, 1); }

void keep_within(int socket, const Room& room) {
  if (room.receive != 0) set(socket, SOL_SOCKET, SO_RCVBUF, room.receive);
  if (room.send != 0) set(socket, SOL_SOCKET, SO_SNDBUF, room.send);
}

void notice_loss(int socket, int seconds) {
  constexpr int kBetween = 30;
  constexpr int kTimes = 8;
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, seconds);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, kBetween);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, kTimes);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
}

bool other_end_has_ended(int socket) {
  ::tcp_info info{};
  ::socklen_t size = sizeof info;
  return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
         info.tcpi_state == TCP_CLOSE_WAIT;
}

std::size_t unacknowledged(int socket) {
  int bytes = 0;
  return ::ioctl(socket, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

void give_up_after(int socket, std::chrono::milliseconds patience) {
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(patience.count()));
}

void reset_on_close(int socket) {
  const ::linger none{1, 0};
  (void)::setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, sizeof none);
}

}  // namespace sbx::egress
