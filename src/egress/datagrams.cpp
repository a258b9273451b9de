// Control messages, see cmsg(3). A socket of both families speaks of IPv4 addresses in their mapped
// form, in its control messages as well (net/ipv6/datagram.c, net/ipv4/ip_sockglue.c).
#include "egress/datagrams.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/fail.hpp"
#include "egress/sockets.hpp"

namespace sbx::egress {
namespace {

using network::Address;
using network::Endpoint;

/// A union, for the alignment of cmsghdr.
union Control {
  std::array<char, 128> room;
  cmsghdr align;
};

Address asked_address(msghdr& message) {
  for (cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr; at = CMSG_NXTHDR(&message, at)) {
    if (at->cmsg_level == IPPROTO_IPV6 && at->cmsg_type == IPV6_PKTINFO) {
      in6_pktinfo info{};
      std::memcpy(&info, CMSG_DATA(at), sizeof info);
      Address address;
      std::memcpy(address.bytes.data(), &info.ipi6_addr, address.bytes.size());
      return address;
    }
    if (at->cmsg_level == IPPROTO_IP && at->cmsg_type == IP_PKTINFO) {
      in_pktinfo info{};
      std::memcpy(&info, CMSG_DATA(at), sizeof info);
      std::array<std::uint8_t, 4> v4{};
      std::memcpy(v4.data(), &info.ipi_addr, v4.size());
      return network::v4(v4[0], v4[1], v4[2], v4[3]);
    }
  }
  return {};
}

template <class Info>
void put(msghdr& message, Control& control, int level, int type, const Info& info) {
  message.msg_control = control.room.data();
  message.msg_controllen = CMSG_SPACE(sizeof info);
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = level;
  head->cmsg_type = type;
  head->cmsg_len = CMSG_LEN(sizeof info);
  std::memcpy(CMSG_DATA(head), &info, sizeof info);
}

}  // namespace

DatagramSocket::DatagramSocket(os::UniqueFd socket) : socket_(std::move(socket)) {
  int family = 0;
  socklen_t size = sizeof family;
  v6_ =
      ::getsockopt(socket_.get(), SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 && family == AF_INET6;
  // Every address is local inside by its route, but none is lo's own, and that is what IPv6 wants
  // of a sender's (ip6_datagram_send_ctl). Without it, sending says so.
  const int on = 1;
  static_cast<void>(::setsockopt(socket_.get(), v6_ ? IPPROTO_IPV6 : IPPROTO_IP,
                                 v6_ ? IPV6_FREEBIND : IP_FREEBIND, &on, sizeof on));
}

SysResult<Datagram> DatagramSocket::receive(std::span<std::uint8_t> room) const {
  sockaddr_storage from{};
  iovec part{.iov_base = room.data(), .iov_len = room.size()};
  Control control{};
  msghdr message{};
  message.msg_name = &from;
  message.msg_namelen = sizeof from;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.room.data();
  message.msg_controllen = control.room.size();
  const auto got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT);
  if (got < 0) return fail();
  return Datagram{.from = to_endpoint(from),
                  .to = asked_address(message),
                  .bytes = room.first(static_cast<std::size_t>(got)),
                  .whole = (message.msg_flags & MSG_TRUNC) == 0};
}

SysResult<void> DatagramSocket::send(std::span<const std::uint8_t> bytes, const Address& from,
                                     const Endpoint& to) const {
  sockaddr_storage name{};
  msghdr message{};
  message.msg_namelen = to_sockaddr(to, v6_, name);
  message.msg_name = &name;
  iovec part{.iov_base = const_cast<std::uint8_t*>(bytes.data()), .iov_len = bytes.size()};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  Control control{};
  if (v6_) {
    in6_pktinfo info{};
    std::memcpy(&info.ipi6_addr, from.bytes.data(), from.bytes.size());
    put(message, control, IPPROTO_IPV6, IPV6_PKTINFO, info);
  } else {
    in_pktinfo info{};
    std::memcpy(&info.ipi_spec_dst, &from.bytes[12], sizeof info.ipi_spec_dst);
    put(message, control, IPPROTO_IP, IP_PKTINFO, info);
  }
  if (::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) return fail();
  return {};
}

}  // namespace sbx::egress
