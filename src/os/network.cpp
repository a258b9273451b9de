#include "os/network.hpp"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "os/fd.hpp"

namespace sbx::os {

SysResult<void> raise_loopback() noexcept {
  // A unix datagram socket carries SIOCSIFFLAGS too (netdevice(7)) and needs no IPv4 in the kernel.
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return std::unexpected(Errno{errno});
  struct ::ifreq request{};
  std::strncpy(request.ifr_name, "lo", sizeof request.ifr_name - 1);
  request.ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0) return std::unexpected(Errno{errno});
  return {};
}

}  // namespace sbx::os
