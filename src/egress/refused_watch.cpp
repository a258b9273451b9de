#include "egress/refused_watch.hpp"

#include <netinet/in.h>
#include <netinet/ip.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "egress/sockets.hpp"

namespace sbx::egress {
namespace {

constexpr int kAtOnce = 16;
constexpr Nanos kRest = 20 * kMilli;
constexpr std::size_t kPorts = 4;  // source and destination, in TCP as in UDP

/// Where an IPv6 packet was sent to; a raw socket hands out no IPv6 header (ipv6(7)).
std::optional<network::Address> told_by_kernel(::msghdr& message) {
  for (::cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != IPPROTO_IPV6 || part->cmsg_type != IPV6_PKTINFO) continue;
    ::in6_pktinfo info{};
    std::memcpy(&info, CMSG_DATA(part), sizeof info);
    network::Address address;
    std::memcpy(address.bytes.data(), &info.ipi6_addr, sizeof info.ipi6_addr);
    return address;
  }
  return std::nullopt;
}

std::uint16_t port_at(const unsigned char* bytes) {
  return static_cast<std::uint16_t>(bytes[0] << 8U | bytes[1]);
}

struct Packet {
  network::Protocol protocol = network::Protocol::tcp;
  network::Endpoint to{};
};

std::optional<Packet> packet_of(int protocol, bool v4, std::span<const unsigned char> bytes,
                                ::msghdr& message) {
  Packet packet{protocol == IPPROTO_UDP ? network::Protocol::udp : network::Protocol::tcp, {}};
  std::size_t header = 0;
  if (v4) {
    if (bytes.size() < sizeof(::iphdr)) return std::nullopt;
    header = std::size_t{bytes[0] & 0xFU} * 4;
    packet.to.address = network::v4(bytes[16], bytes[17], bytes[18], bytes[19]);
  } else {
    const auto address = told_by_kernel(message);
    if (!address) return std::nullopt;
    packet.to.address = *address;
  }
  if (bytes.size() < header + kPorts) return std::nullopt;
  packet.to.port = port_at(bytes.data() + header + 2);
  return packet;
}

int option_of(int socket, int option) {
  int value = 0;
  ::socklen_t size = sizeof value;
  return ::getsockopt(socket, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

}  // namespace

RefusedWatch::RefusedWatch(Desk& desk, os::UniqueFd socket)
    : desk_(desk), socket_(std::move(socket)), rest_(desk.loop, *this) {}

RefusedWatch::~RefusedWatch() { desk_.loop.remove(socket_.get()); }

SysResult<void> RefusedWatch::start() { return desk_.loop.add(socket_.get(), EPOLLIN, *this); }

void RefusedWatch::ready(int fd, std::uint32_t) {
  if (fd < 0) {
    if (!desk_.loop.change(socket_.get(), EPOLLIN, *this)) rest_.set(desk_.loop.now() + kRest);
    return;
  }
  const int protocol = option_of(fd, SO_PROTOCOL);
  const bool v4 = option_of(fd, SO_DOMAIN) == AF_INET;
  for (int i = 0; i < kAtOnce; ++i) {
    std::array<unsigned char, 128> bytes{};
    alignas(::cmsghdr) std::array<char, 256> control{};
    ::iovec data{bytes.data(), bytes.size()};
    ::msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t size = ::recvmsg(fd, &message, MSG_DONTWAIT);
    if (size < 0) return;
    const auto packet =
        packet_of(protocol, v4, std::span(bytes).first(static_cast<std::size_t>(size)), message);
    if (!packet) continue;
    const Target target = target_of(desk_, packet->protocol, packet->to);
    // A port that nobody listens to yet, or whose rule is of the other protocol's.
    if (target.decision.allowed) continue;
    desk_.account.note({.protocol = target.protocol,
                        .host = target.host(),
                        .port = target.asked.port,
                        .verdict = Verdict::denied,
                        .reason = target.decision.because,
                        .allow_with = target.decision.allow_with});
  }
  (void)desk_.loop.change(fd, 0, *this);
  rest_.set(desk_.loop.now() + kRest);
}

}  // namespace sbx::egress
