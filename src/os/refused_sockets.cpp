#include "os/refused_sockets.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/fail.hpp"

namespace sbx::os {

SysResult<UniqueFd> refused_socket(int family, int protocol) noexcept {
  UniqueFd made(::socket(family, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol));
  if (!made.valid()) return fail();
  return made;
}

SysResult<void> watch_refused(int socket, int family,
                              std::span<const sock_filter> filter) noexcept {
  // Whoever floods us loses lines of the account, and costs no memory: some twenty packets.
  constexpr int kReceiveBytes = 16 * 1024;
  ::sock_fprog program{};
  program.len = static_cast<unsigned short>(filter.size());
  program.filter = const_cast<sock_filter*>(filter.data());  // the kernel copies it, never writes
  const int on = 1;
  if (::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0 ||
      ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &kReceiveBytes, sizeof kReceiveBytes) != 0)
    return fail();
  if (family == AF_INET6 &&
      ::setsockopt(socket, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on) != 0)
    return fail();
  return {};
}

}  // namespace sbx::os
