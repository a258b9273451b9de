#include "os/network.hpp"

#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/fail.hpp"
#include "os/fd.hpp"

namespace sbx::os {
namespace {

/// A unix datagram socket carries what is asked of a network too (netdevice(7)), and needs no IPv4
/// in the kernel.
SysResult<UniqueFd> open_socket() noexcept {
  UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return fail();
  return socket;
}

}  // namespace

SysResult<UniqueFd> new_network() noexcept {
  if (::unshare(CLONE_NEWNET) != 0) return fail();
  // Not by /proc/self/ns/net: after a change of ids /proc/self belongs to host root (proc(5)).
  const UniqueFd socket = SBX_TRY(open_socket());
  UniqueFd network(::ioctl(socket.get(), SIOCGSKNS));
  if (!network.valid()) return fail();
  return network;
}

SysResult<void> enter_network(int network_fd) noexcept {
  if (::setns(network_fd, CLONE_NEWNET) != 0) return fail();
  return {};
}

SysResult<void> raise_loopback() noexcept {
  const UniqueFd socket = SBX_TRY(open_socket());
  struct ::ifreq request{};
  std::strncpy(request.ifr_name, "lo", sizeof request.ifr_name - 1);
  request.ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0) return fail();
  return {};
}

}  // namespace sbx::os
