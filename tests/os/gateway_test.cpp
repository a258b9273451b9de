// What a payload does to any address arrives at the sockets that the supervisor has.
#include <initializer_list>

#include "inner_network.hpp"

using namespace sbx;        // NOLINT(google-build-using-namespace)
using namespace sbx::test;  // NOLINT(google-build-using-namespace)

namespace {

const char* const kFour = "203.0.113.7";
const char* const kSix = "2001:db8::7";

int listener_of(const os::GatewaySockets& sockets, std::uint16_t port) {
  for (const os::PortSocket& one : sockets.tcp)
    if (one.port == port) return one.socket.get();
  return -1;
}

/// Sends "ask" from a connected socket, so that only an answer from there is taken, and wants
/// "yes".
void ask(const char* address, std::uint16_t port) {
  const Where where(address, port);
  const os::UniqueFd made = open_socket(where, SOCK_DGRAM);
  expect(::connect(made.get(), where.get(), where.size) == 0);
  expect(::send(made.get(), "ask", 3, 0) == 3);
  expect(readable(made.get()));
  char answer[8];
  expect(::recv(made.get(), answer, sizeof answer, 0) == 3);
}

/// Answers from the address that was asked, which the message says; returns it.
std::string answer_at(int socket) {
  if (!readable(socket)) return "nothing";
  ::sockaddr_storage from{};
  char text[8];
  ::iovec data{text, sizeof text};
  alignas(::cmsghdr) char control[CMSG_SPACE(sizeof(::in6_pktinfo))] = {};
  ::msghdr message{};
  message.msg_name = &from;
  message.msg_namelen = sizeof from;
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (::recvmsg(socket, &message, 0) != 3) return "no question";
  const ::cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != IPV6_PKTINFO) return "no address";
  ::in6_pktinfo info{};
  std::memcpy(&info, CMSG_DATA(header), sizeof info);
  data = {const_cast<char*>("yes"), 3};
  if (::sendmsg(socket, &message, 0) != 3) return std::strerror(errno);
  ::sockaddr_storage asked{};
  auto* const six = reinterpret_cast<::sockaddr_in6*>(&asked);
  six->sin6_family = AF_INET6;
  six->sin6_addr = info.ipi6_addr;
  return text_of(asked);
}

/// What a raw socket has, and how much of it.
std::size_t waiting_at(const os::UniqueFd& raw) {
  std::size_t count = 0;
  char packet[2048];
  while (::recv(raw.get(), packet, sizeof packet, MSG_DONTWAIT) > 0) ++count;
  return count;
}

}  // namespace

TEST_CASE("connections to any address are accepted, and tell where they went") {
  InnerNetwork inner([] {
    for (const char* address : {kFour, kSix, "127.0.0.1", "::1", "255.255.255.254", "198.18.0.1"}) {
      expect(connect_to(address, 443).valid());
      expect(is_refused(address, 444));
    }
    expect(connect_to(kFour, 53).valid());
  });
  const os::GatewaySockets sockets = inner.take();
  CHECK(sockets.v6);
  inner.go();
  for (const char* name : {"203.0.113.7:443", "2001:db8::7:443", "127.0.0.1:443", "::1:443",
                           "255.255.255.254:443", "198.18.0.1:443"}) {
    const os::UniqueFd accepted = accept_at(listener_of(sockets, 443));
    CHECK(own_name_of(accepted.get()) == name);
  }
  CHECK(own_name_of(accept_at(sockets.dns_tcp.get()).get()) == "203.0.113.7:53");
  CHECK(inner.end() == kHolds);
}

TEST_CASE(
    "datagrams are answered from the address that was asked, of both families in one socket") {
  InnerNetwork inner([] {
    for (const std::uint16_t port : std::initializer_list<std::uint16_t>{53, 123}) {
      ask(kFour, port);
      ask(kSix, port);
    }
  });
  const os::GatewaySockets sockets = inner.take();
  inner.go();
  REQUIRE(sockets.udp.size() == 1);
  for (const int socket : {sockets.dns_udp.get(), sockets.udp.front().socket.get()}) {
    CHECK(answer_at(socket) == "203.0.113.7:0");
    CHECK(answer_at(socket) == "2001:db8::7:0");
  }
  CHECK(inner.end() == kHolds);
}

TEST_CASE("what nobody listens to is seen, and only that") {
  plan::OpenGateway step{
      .tcp = {80, 443, 8000}, .udp = {123}, .late = {{9000, 9999}}, .more = true};
  for (std::uint16_t port = 20000; port < 20480; port += 2) step.udp.push_back(port);
  InnerNetwork inner(
      [] {
        for (const char* address : {kFour, kSix}) {
          expect(is_refused(address, 81));
          expect(is_refused(address, 8999));
          expect(is_refused(address, 9000));  // late: not a refusal of the profile's
          expect(is_refused(address, 9999));
          expect(is_refused(address, 10000));
          expect(connect_to(address, 8000).valid());
          ask(address, 53);
          for (const std::uint16_t port :
               std::initializer_list<std::uint16_t>{5353, 20000, 20001, 20478}) {
            const Where where(address, port);
            const os::UniqueFd made = open_socket(where, SOCK_DGRAM);
            expect(::sendto(made.get(), "x", 1, 0, where.get(), where.size) == 1);
          }
        }
        for (const char* address : {"127.0.0.1", "127.1.2.3", "::1"})
          expect(is_refused(address, 81));
      },
      {.step = step});
  const os::GatewaySockets sockets = inner.take();
  CHECK(sockets.udp.size() == 241);
  inner.go();
  CHECK(answer_at(sockets.dns_udp.get()) == "203.0.113.7:0");
  CHECK(answer_at(sockets.dns_udp.get()) == "2001:db8::7:0");
  CHECK(inner.end() == kHolds);
  REQUIRE(sockets.refused.size() == 4);
  CHECK(waiting_at(sockets.refused[0]) == 3);  // 81, 8999, 10000
  CHECK(waiting_at(sockets.refused[1]) == 2);  // 5353, 20001
  CHECK(waiting_at(sockets.refused[2]) == 3);
  CHECK(waiting_at(sockets.refused[3]) == 2);
}

TEST_CASE("what is refused comes with its addresses and ports") {
  InnerNetwork inner([] {
    expect(is_refused(kFour, 81));
    expect(is_refused(kSix, 81));
  });
  const os::GatewaySockets sockets = inner.take();
  inner.go();
  CHECK(inner.end() == kHolds);
  unsigned char packet[128] = {};
  REQUIRE(::recv(sockets.refused[0].get(), packet, sizeof packet, 0) >= 40);
  CHECK(packet[0] == 0x45);
  CHECK(packet[16] == 203);
  CHECK(packet[22] == 0);
  CHECK(packet[23] == 81);
  ::iovec data{packet, sizeof packet};
  alignas(::cmsghdr) char control[CMSG_SPACE(sizeof(::in6_pktinfo))] = {};
  ::msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  REQUIRE(::recvmsg(sockets.refused[2].get(), &message, 0) >= 20);
  CHECK(packet[3] == 81);
  const ::cmsghdr* const header = CMSG_FIRSTHDR(&message);
  REQUIRE(header != nullptr);
  ::in6_pktinfo info{};
  if (header != nullptr) std::memcpy(&info, CMSG_DATA(header), sizeof info);
  CHECK(info.ipi6_addr.s6_addr[15] == 7);
}

TEST_CASE("a flood of refused packets takes a few of them") {
  InnerNetwork inner([] {
    const Where where(kFour, 9);
    const os::UniqueFd made = open_socket(where, SOCK_DGRAM);
    for (int i = 0; i < 10'000; ++i) (void)::sendto(made.get(), "x", 1, 0, where.get(), where.size);
  });
  const os::GatewaySockets sockets = inner.take();
  inner.go();
  CHECK(inner.end() == kHolds);
  const std::size_t count = waiting_at(sockets.refused[1]);
  CHECK(count > 5);
  CHECK(count < 100);
}

TEST_CASE("without IPv6 in use all is there for IPv4") {
  InnerNetwork inner(
      [] {
        expect(connect_to(kFour, 443).valid());
        expect(!connect_to(kSix, 443).valid());
        ask(kFour, 53);
      },
      {.v6 = false});
  const os::GatewaySockets sockets = inner.take();
  inner.go();
  CHECK(own_name_of(accept_at(listener_of(sockets, 443)).get()) == "203.0.113.7:443");
  CHECK(answer_at(sockets.dns_udp.get()) == "203.0.113.7:0");
  CHECK(inner.end() == kHolds);
}

TEST_CASE("a user's limit on descriptors in flight makes the sender wait, and not fail") {
  InnerOptions many{.nofile = 75};
  for (std::uint16_t port = 1000; port < 1250; ++port) many.step.udp.push_back(port);
  InnerNetwork inner([] {}, many);
  ::usleep(100'000);  // by now more of them are on their way than may be
  const os::GatewaySockets sockets = inner.take();
  CHECK(sockets.udp.size() == 251);
  inner.go();
  CHECK(inner.end() == kHolds);
}
