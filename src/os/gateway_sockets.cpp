#include "os/gateway_sockets.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "base/fail.hpp"
#include "os/inner_socket.hpp"
#include "os/many_descriptors.hpp"
#include "os/pass_descriptors.hpp"
#include "os/refused_sockets.hpp"

namespace sbx::os {
namespace {

constexpr std::uint16_t kDns = 53;
constexpr std::size_t kAlways = 4;  // DNS, and what is refused; IPv6 has two more of these
constexpr std::size_t kMint = 2;

SysResult<UniqueFd> listener(std::uint16_t port) noexcept {
  UniqueFd made = SBX_TRY(inner_socket(SOCK_STREAM));
  SBX_CHECK(listen_everywhere(made.get(), port));
  return made;
}

/// IPv6 lets nobody send from an address that no device has, whatever the routes say, without
/// IPV6_FREEBIND (ip6_datagram_send_ctl() in net/ipv6/datagram.c); for IPv4 the route is enough.
SysResult<UniqueFd> datagrams(std::uint16_t port) noexcept {
  UniqueFd made = SBX_TRY(inner_socket(SOCK_DGRAM));
  const int on = 1;
  const bool set =
      is_v6(made.get())
          ? ::setsockopt(made.get(), IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on) == 0 &&
                ::setsockopt(made.get(), IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof on) == 0
          : ::setsockopt(made.get(), IPPROTO_IP, IP_PKTINFO, &on, sizeof on) == 0;
  if (!set) return fail();
  SBX_CHECK(bind_everywhere(made.get(), port));
  return made;
}

SysResult<void> send_refused(DescriptorSender& sender, int family) noexcept {
  SBX_CHECK(sender.add(refused_socket(family, IPPROTO_TCP)));
  return sender.add(refused_socket(family, IPPROTO_UDP));
}

}  // namespace

SysResult<void> send_gateway(int channel, const GatewayPorts& ports) noexcept {
  DescriptorSender sender(channel);
  UniqueFd dns = SBX_TRY(datagrams(kDns));
  const bool v6 = is_v6(dns.get());
  SBX_CHECK(sender.add(std::move(dns)));
  SBX_CHECK(sender.add(listener(kDns)));
  for (std::size_t i = 0; ports.more && i < kMint; ++i)
    SBX_CHECK(sender.add(inner_socket(SOCK_STREAM)));
  SBX_CHECK(send_refused(sender, AF_INET));
  if (v6) SBX_CHECK(send_refused(sender, AF_INET6));
  for (const std::uint16_t port : ports.tcp) SBX_CHECK(sender.add(listener(port)));
  for (const std::uint16_t port : ports.udp) SBX_CHECK(sender.add(datagrams(port)));
  return sender.flush();
}

SysResult<void> await_watched(int channel) noexcept {
  char byte = 0;
  ssize_t size = -1;
  do {
    size = ::recv(channel, &byte, sizeof byte, 0);
  } while (size < 0 && errno == EINTR);
  if (size < 0) return std::unexpected(pair_error(errno));
  if (size == 0) return std::unexpected(Errno{kPeerGone});
  return {};
}

SysResult<void> tell_watched(int channel) noexcept {
  const char byte = 0;
  if (::send(channel, &byte, sizeof byte, MSG_NOSIGNAL) != 1)
    return std::unexpected(pair_error(errno));
  return {};
}

std::size_t most_gateway_sockets(const GatewayPorts& ports) {
  return kAlways + 2 + (ports.more ? kMint : 0) + ports.tcp.size() + ports.udp.size();
}

SysResult<GatewaySockets> gateway_of(std::vector<UniqueFd>& received, const GatewayPorts& ports) {
  if (received.empty()) return std::unexpected(Errno{EAGAIN});
  GatewaySockets sockets;
  sockets.v6 = is_v6(received.front().get());
  if (received.size() < most_gateway_sockets(ports) - (sockets.v6 ? 0 : 2))
    return std::unexpected(Errno{EAGAIN});
  auto next = received.begin();
  sockets.dns_udp = std::move(*next++);
  sockets.dns_tcp = std::move(*next++);
  if (ports.more) sockets.mint_listener = std::move(*next++);
  if (ports.more) sockets.mint_client = std::move(*next++);
  for (int i = 0; i < (sockets.v6 ? 4 : 2); ++i) sockets.refused.push_back(std::move(*next++));
  for (const std::uint16_t port : ports.tcp) sockets.tcp.push_back({port, std::move(*next++)});
  for (const std::uint16_t port : ports.udp) sockets.udp.push_back({port, std::move(*next++)});
  received.clear();
  return sockets;
}

}  // namespace sbx::os
