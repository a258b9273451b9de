#include "os/inner_socket.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/fail.hpp"

namespace sbx::os {
namespace {

/// What the kernel makes of it is net.core.somaxconn of the namespace, which starts with 4096: the
/// connections that may wait for the supervisor to look.
constexpr int kBacklog = 4096;

/// The congestion control of what is accepted, which inherits it (tcp(7)). Nothing is lost or late
/// on `lo`; what the host prefers (bbr above all, which sends by a timer) is less than half as fast
/// there. Reno is in every kernel, and anybody may ask for it.
constexpr char kCongestion[] = "reno";

}  // namespace

SysResult<UniqueFd> inner_socket(int type) noexcept {
  const int flags = SOCK_NONBLOCK | SOCK_CLOEXEC;
  UniqueFd six(::socket(AF_INET6, type | flags, 0));
  if (!six.valid()) {
    if (errno != EAFNOSUPPORT) return fail();
    UniqueFd four(::socket(AF_INET, type | flags, 0));
    if (!four.valid()) return fail();
    return four;
  }
  const int off = 0;  // whatever net.ipv6.bindv6only says
  if (::setsockopt(six.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0) return fail();
  return six;
}

bool is_v6(int socket) noexcept {
  int family = 0;
  ::socklen_t size = sizeof family;
  return ::getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 && family == AF_INET6;
}

SysResult<void> bind_everywhere(int socket, std::uint16_t port) noexcept {
  int bound = -1;
  if (is_v6(socket)) {
    ::sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_port = htons(port);
    bound = ::bind(socket, reinterpret_cast<const ::sockaddr*>(&any), sizeof any);
  } else {
    ::sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_port = htons(port);
    bound = ::bind(socket, reinterpret_cast<const ::sockaddr*>(&any), sizeof any);
  }
  if (bound != 0) return fail();
  return {};
}

SysResult<void> listen_everywhere(int socket, std::uint16_t port) noexcept {
  if (::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, kCongestion, sizeof kCongestion - 1) != 0)
    return fail();
  SBX_CHECK(bind_everywhere(socket, port));
  if (::listen(socket, kBacklog) != 0) return fail();
  return {};
}

Loopback::Loopback(int socket, bool v6, std::uint16_t port) noexcept {
  if (!is_v6(socket)) {
    as.four = {};
    as.four.sin_family = AF_INET;
    as.four.sin_port = htons(port);
    as.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    size = sizeof as.four;
    return;
  }
  constexpr unsigned char kMapped[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1};
  as.six = {};
  as.six.sin6_family = AF_INET6;
  as.six.sin6_port = htons(port);
  as.six.sin6_addr = IN6ADDR_LOOPBACK_INIT;
  if (!v6) std::memcpy(&as.six.sin6_addr, kMapped, sizeof kMapped);
  size = sizeof as.six;
}

const ::sockaddr* Loopback::address() const noexcept {
  return reinterpret_cast<const ::sockaddr*>(&as);
}

}  // namespace sbx::os
