// A DNS server of a few lines (RFC 1035).
#include "egress_testing.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

namespace sbx::egress {

bool run_until(Loop& loop, const std::function<bool()>& done, Nanos within) {
  loop.step();
  const Nanos end = loop.now() + within;
  while (!done()) {
    if (loop.now() >= end) return false;
    pollfd asked{.fd = loop.fd(), .events = POLLIN, .revents = 0};
    static_cast<void>(::poll(&asked, 1, 5));
    loop.step();
  }
  return true;
}

os::UniqueFd loopback_socket(int type, std::uint16_t& port) {
  os::UniqueFd made(::socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  auto* name = reinterpret_cast<sockaddr*>(&here);
  REQUIRE(::bind(made.get(), name, size) == 0);
  REQUIRE(::getsockname(made.get(), name, &size) == 0);
  port = ntohs(here.sin_port);
  return made;
}

os::UniqueFd wildcard_datagrams(std::uint16_t& port) {
  os::UniqueFd made(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  REQUIRE(::setsockopt(made.get(), IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on) == 0);
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  socklen_t size = sizeof any;
  REQUIRE(::bind(made.get(), reinterpret_cast<sockaddr*>(&any), size) == 0);
  REQUIRE(::getsockname(made.get(), reinterpret_cast<sockaddr*>(&any), &size) == 0);
  port = ntohs(any.sin6_port);
  return made;
}

TestDns::TestDns(Loop& loop) : loop_(loop), socket_(loopback_socket(SOCK_DGRAM, port_)) {
  REQUIRE(loop_.add(socket_.get(), EPOLLIN, *this).has_value());
}

TestDns::~TestDns() { loop_.remove(socket_.get()); }

std::string TestDns::servers() const { return "127.0.0.1:" + std::to_string(port_); }

void TestDns::ready(int fd, std::uint32_t /*events*/) {
  std::array<std::uint8_t, 1500> room{};
  sockaddr_in from{};
  socklen_t size = sizeof from;
  auto* name = reinterpret_cast<sockaddr*>(&from);
  const auto got = ::recvfrom(fd, room.data(), room.size(), 0, name, &size);
  if (got < 0) return;
  const std::string text = answer(std::span(room).first(static_cast<std::size_t>(got)));
  if (!silent) CHECK(::sendto(fd, text.data(), text.size(), 0, name, size) > 0);
}

std::string TestDns::answer(std::span<const std::uint8_t> query) {
  std::string host;
  std::size_t at = 12;
  for (; query[at] != 0; at += query[at] + 1U) {
    if (!host.empty()) host += '.';
    host.append(reinterpret_cast<const char*>(&query[at + 1]), query[at]);
  }
  const std::uint8_t type = query[at + 2];
  asked.push_back(host + (type == 28 ? " AAAA" : " A"));
  const auto found = hosts.find(host);
  const auto put16 = [](std::string& to, unsigned value) {
    to += static_cast<char>(value >> 8U);
    to += static_cast<char>(value & 0xffU);
  };
  std::string records;
  unsigned count = 0;
  for (const auto& address : found == hosts.end() ? Host{}.addresses : found->second.addresses) {
    if (address.is_v4() == (type == 28)) continue;
    put16(records, 0xc00c);
    put16(records, type);
    put16(records, 1);
    put16(records, found->second.ttl >> 16U);
    put16(records, found->second.ttl & 0xffffU);
    const auto bytes = std::span(address.bytes).subspan(type == 28 ? 0 : 12);
    put16(records, static_cast<unsigned>(bytes.size()));
    records.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    ++count;
  }
  unsigned rcode = code;
  if (rcode == 0 && found == hosts.end()) rcode = 3;
  std::string text(reinterpret_cast<const char*>(query.data()), 2);
  put16(text, 0x8180U | rcode);
  put16(text, 1);
  put16(text, count);
  put16(text, 0);
  put16(text, 0);
  text.append(reinterpret_cast<const char*>(&query[12]), at + 5 - 12);
  return text + records;
}

}  // namespace sbx::egress
