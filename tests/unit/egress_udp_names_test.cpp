// Flows to names, where a sandbox's routes can be had.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <array>
#include <string>

#include "egress/sockets.hpp"
#include "egress_udp_testing.hpp"

namespace sbx::egress {
namespace {

using network::parse_address;

/// In a network namespace where every address is local, as a sandbox's is; there host and sandbox
/// are one: unshare -Urn sh -c "ip link set lo up; ip route add local 0.0.0.0/0 dev lo; ..."
bool all_is_local() {
  const os::UniqueFd trial(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage to{};
  const socklen_t size = to_sockaddr({network::v4(198, 18, 0, 2), 0}, false, to);
  return ::bind(trial.get(), reinterpret_cast<sockaddr*>(&to), size) == 0;
}

os::UniqueFd payload_socket(const network::Endpoint& to) {
  sockaddr_storage name{};
  const socklen_t size = to_sockaddr(to, false, name);
  os::UniqueFd made(::socket(name.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  REQUIRE(::connect(made.get(), reinterpret_cast<sockaddr*>(&name), size) == 0);
  return made;
}

TEST_CASE("a name is reached by its synthetic addresses, which also answer") {
  if (!all_is_local()) {
    MESSAGE("skipped: needs a network namespace with every address routed to lo");
    return;
  }
  FlowBed bed;
  std::uint16_t port = 0;
  std::vector<os::PortSocket> sockets(1);
  sockets[0].socket = wildcard_datagrams(port);
  sockets[0].port = port;
  // The host's socket is on the same port of an address of its own.
  const network::Endpoint there{parse_address("203.0.113.7").value(), port};
  Host host;
  host.socket.reset(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  for (const int fd : {host.socket.get(), sockets[0].socket.get()})
    REQUIRE(::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
  sockaddr_storage name{};
  const socklen_t size = to_sockaddr(there, false, name);
  REQUIRE(::bind(host.socket.get(), reinterpret_cast<sockaddr*>(&name), size) == 0);
  for (const char* rule : {"udp:host.example:*", "udp:203.0.113.7:*"})
    bed.policy.allow.push_back(network::parse_rule(rule).value());
  bed.resolver.answers["host.example"] = {.state = Resolved::State::found,
                                          .addresses = {there.address}};
  const auto given = bed.names.address_of("host.example").value();
  UdpFlows flows(bed.desk);
  REQUIRE(flows.start(std::move(sockets)).has_value());
  for (const auto& address : {given.v4, given.v6}) {
    CAPTURE(to_string(address));
    const os::UniqueFd payload = payload_socket({address, port});
    REQUIRE(::send(payload.get(), "ping", 4, 0) == 4);
    CHECK(host.receive(bed.loop) == "ping");
    host.answer("pong");
    std::array<char, 16> room{};
    CHECK(run_until(
        bed.loop, [&] { return ::recv(payload.get(), room.data(), room.size(), 0) == 4; },
        kSecond));
    CHECK(std::string(room.data()) == "pong");
  }
  CHECK(flows.size() == 2);
  const os::UniqueFd third = payload_socket({given.v4, port});
  REQUIRE(::send(third.get(), "ping", 4, 0) == 4);
  CHECK(host.receive(bed.loop) == "(nothing)");
  CHECK(bed.account.take().back().verdict == Verdict::limited);
}

}  // namespace
}  // namespace sbx::egress
