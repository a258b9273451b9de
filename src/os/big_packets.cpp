#include "os/big_packets.hpp"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "base/fail.hpp"
#include "os/fd.hpp"
#include "os/rtnetlink.hpp"

namespace sbx::os {
namespace {

constexpr std::uint32_t kPacket = 500'000;  // below GSO_MAX_SIZE, 8 * 65535

/// Those of if_link.h; the last two are younger than Debian 12's.
constexpr std::array<unsigned short, 4> kSizes{
    41,  // IFLA_GSO_MAX_SIZE
    58,  // IFLA_GRO_MAX_SIZE
    63,  // IFLA_GSO_IPV4_MAX_SIZE
    64,  // IFLA_GRO_IPV4_MAX_SIZE
};

struct Size {
  ::rtattr attribute{};
  std::uint32_t value = kPacket;
};
struct Request {
  ::nlmsghdr header{};
  ::ifinfomsg link{};
  std::array<Size, kSizes.size()> sizes{};
};
static_assert(sizeof(Request) == NLMSG_LENGTH(sizeof(::ifinfomsg)) + sizeof(Size) * kSizes.size());

}  // namespace

SysResult<void> enlarge_packets() noexcept {
  const UniqueFd netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!netlink.valid()) return fail();
  Request request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_NEWLINK;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  request.link.ifi_index = kLoopback;
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    request.sizes[i].attribute.rta_len = RTA_LENGTH(sizeof(std::uint32_t));
    request.sizes[i].attribute.rta_type = kSizes[i];
  }
  return ask_rtnetlink(netlink.get(), &request, sizeof request);
}

}  // namespace sbx::os
