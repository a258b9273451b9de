#include "os/rtnetlink.hpp"

#include <linux/netlink.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/fail.hpp"

namespace sbx::os {

SysResult<void> ask_rtnetlink(int netlink, const void* request, std::size_t size) noexcept {
  if (::send(netlink, request, size, 0) < 0) return fail();
  // An answer carries the request that it refuses.
  alignas(::nlmsghdr) char answer[512];
  const ssize_t received = ::recv(netlink, answer, sizeof answer, 0);
  if (received < 0) return fail();
  ::nlmsghdr header{};
  ::nlmsgerr told{};
  if (static_cast<std::size_t>(received) < NLMSG_LENGTH(sizeof told))
    return std::unexpected(Errno{EPROTO});
  std::memcpy(&header, answer, sizeof header);
  std::memcpy(&told, answer + NLMSG_HDRLEN, sizeof told);
  if (header.nlmsg_type != NLMSG_ERROR) return std::unexpected(Errno{EPROTO});
  if (told.error != 0) return std::unexpected(Errno{-told.error});
  return {};
}

}  // namespace sbx::os
