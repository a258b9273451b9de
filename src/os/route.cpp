#include "os/route.hpp"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/fail.hpp"
#include "os/fd.hpp"
#include "os/rtnetlink.hpp"

namespace sbx::os {
namespace {

/// `ip route add local 0.0.0.0/0 dev lo table local` (ip-route(8)), or of ::/0.
struct Request {
  ::nlmsghdr header{};
  ::rtmsg route{};
  ::rtattr attribute{};
  int device = kLoopback;
};
static_assert(sizeof(Request) == NLMSG_LENGTH(sizeof(::rtmsg)) + RTA_LENGTH(sizeof(int)));

Request request_for(unsigned char family) noexcept {
  Request request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_NEWROUTE;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL;
  request.route.rtm_family = family;
  request.route.rtm_table = RT_TABLE_LOCAL;
  request.route.rtm_protocol = RTPROT_BOOT;
  request.route.rtm_scope = family == AF_INET ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE;
  request.route.rtm_type = RTN_LOCAL;
  request.attribute.rta_len = RTA_LENGTH(sizeof(int));
  request.attribute.rta_type = RTA_OIF;
  return request;
}

SysResult<void> add_route(int netlink, unsigned char family) noexcept {
  const Request request = request_for(family);
  return ask_rtnetlink(netlink, &request, sizeof request);
}

/// Not in the kernel (EOPNOTSUPP: rtnetlink knows nobody for it), or switched off on every device
/// (the sysctl disable_ipv6, ipv6.disable_ipv6 of the command line).
bool lacks_ipv6(int error) noexcept {
  return error == EAFNOSUPPORT || error == EOPNOTSUPP || error == EACCES || error == ENODEV;
}

}  // namespace

SysResult<void> route_all_to_self() noexcept {
  const UniqueFd netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!netlink.valid()) return fail();
  SBX_CHECK(add_route(netlink.get(), AF_INET));
  if (const auto added = add_route(netlink.get(), AF_INET6);
      !added && !lacks_ipv6(added.error().value))
    return added;
  return {};
}

}  // namespace sbx::os
