// Attacks through sockets: the host's servers, and families that no namespace contains.
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "verdict.hpp"

namespace probe {
namespace {

/// Connects; a leading '@' means an abstract name (CVE-2020-15257).
Verdict connect_unix(Args args) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(args[0]);
  if (length >= sizeof address.sun_path) return untestable("name too long");
  std::memcpy(address.sun_path, args[0], length);
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return contained("socket", errno);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  return judge(connect(fd, reinterpret_cast<sockaddr*>(&address), size),
               std::string("connect to ") + args[0]);
}

Verdict connect_tcp(Args args) {
  const auto port = htons(static_cast<std::uint16_t>(std::atoi(args[1])));
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = port;
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = port;
  const bool is_v4 = inet_pton(AF_INET, args[0], &v4.sin_addr) == 1;
  if (!is_v4 && inet_pton(AF_INET6, args[0], &v6.sin6_addr) != 1) return untestable("address");
  const int fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return contained("socket", errno);
  const int result = is_v4 ? connect(fd, reinterpret_cast<sockaddr*>(&v4), sizeof v4)
                           : connect(fd, reinterpret_cast<sockaddr*>(&v6), sizeof v6);
  return judge(result, std::string("connect to ") + args[0] + " port " + args[1]);
}

constexpr struct {
  const char* name;
  int family;
  int type;
  int protocol;
} kSockets[] = {
    {"packet", AF_PACKET, SOCK_RAW, 0},
    {"packet-datagram", AF_PACKET, SOCK_DGRAM, 0},
    {"vsock", AF_VSOCK, SOCK_STREAM, 0},
    {"alg", AF_ALG, SOCK_SEQPACKET, 0},
    {"key", AF_KEY, SOCK_RAW, 2},
    {"bluetooth", AF_BLUETOOTH, SOCK_RAW, 1},
    {"can", AF_CAN, SOCK_RAW, 1},
    {"tipc", AF_TIPC, SOCK_SEQPACKET, 0},
    {"rds", 21, SOCK_SEQPACKET, 0},
    {"xdp", 44, SOCK_RAW, 0},
    {"sctp", AF_INET, SOCK_STREAM, IPPROTO_SCTP},
    {"sctp-packets", AF_INET6, SOCK_SEQPACKET, 0},
    {"dccp", AF_INET, SOCK_DCCP, 0},
    {"l2tp", AF_INET6, SOCK_DGRAM, 115},  // IPPROTO_L2TP
    {"smc", AF_INET, SOCK_STREAM, 256},   // IPPROTO_SMC
    {"raw-inet", AF_INET, SOCK_RAW, IPPROTO_ICMP},
    {"raw-inet6", AF_INET6, SOCK_RAW, IPPROTO_ICMPV6},
    {"netlink-audit", AF_NETLINK, SOCK_RAW, NETLINK_AUDIT},
    {"netlink-uevent", AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT},
    {"netlink-netfilter", AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER},
    {"netlink-xfrm", AF_NETLINK, SOCK_RAW, NETLINK_XFRM},
    {"netlink-diag", AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG},
    {"netlink-connector", AF_NETLINK, SOCK_RAW, NETLINK_CONNECTOR},
    {"netlink-generic", AF_NETLINK, SOCK_RAW, NETLINK_GENERIC},
};

/// HIGH-BITS sets bits above 32 in the family, which the kernel drops (CVE-2019-10063).
Verdict make_socket(Args args) {
  for (const auto& one : kSockets) {
    if (std::strcmp(one.name, args[0]) != 0) continue;
    const long high = args.size() > 1 ? 1L << 32U : 0;
    return in_child([&] {
      return judge(syscall(SYS_socket, one.family | high, one.type, one.protocol),
                   std::string("socket ") + one.name);
    });
  }
  return untestable(std::string("no socket named ") + args[0]);
}

constexpr Verb kVerbs[] = {
    {"connect-unix", "PATH|@NAME", 1, connect_unix},
    {"connect-tcp", "ADDRESS PORT", 2, connect_tcp},
    {"socket", "NAME [high-bits]", 1, make_socket},
};

}  // namespace

std::span<const Verb> socket_verbs() { return kVerbs; }

}  // namespace probe
