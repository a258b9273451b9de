// How the host's side of a connection is opened.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <optional>
#include <string>

#include "egress/connector.hpp"
#include "egress/sockets.hpp"
#include "egress_udp_testing.hpp"

namespace sbx::egress {
namespace {

constexpr network::Address kFirst = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1}};
constexpr network::Address kSecond127 = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 2}};

struct ConnectorBed {
  FlowBed bed{};
  Desk desk = bed.desk;
  Target target{};
  std::optional<Opened> opened{};

  ConnectorBed() : desk(bed.desk) { desk.per_address = 50 * kMilli; }
  bool open() {
    opened.reset();
    Connector connector(desk, target, {}, [this](Opened result) { opened = std::move(result); });
    connector.start();
    return run_until(bed.loop, [this] { return opened.has_value(); });
  }
};

os::UniqueFd listen_at(const network::Endpoint& where) {
  auto made = listen_stream(where);
  REQUIRE(made.has_value());
  return std::move(*made);
}

TEST_CASE("a proxy that says nothing gives way to its next address") {
  ConnectorBed bed;
  const os::UniqueFd silent = listen_at({kFirst, 0});
  const std::uint16_t port = local_end(silent.get())->port;
  const os::UniqueFd other = listen_at({kSecond127, port});
  bed.bed.policy.proxy = network::Proxy{.host = "proxy.test", .port = port};
  bed.bed.resolver.answers["proxy.test"] = {.state = Resolved::State::found,
                                            .addresses = {kFirst, kSecond127}};
  bed.target = {.name = "behind.test", .asked = {kFirst, 7}};
  Connector connector(bed.desk, bed.target, {},
                      [&](Opened result) { bed.opened = std::move(result); });
  connector.start();
  SysResult<os::UniqueFd> asked = std::unexpected(Errno{EAGAIN});
  std::string request(200, ' ');
  ssize_t size = -1;
  REQUIRE(run_until(bed.bed.loop, [&] {
    if (!asked) asked = accept_stream(other.get());
    if (asked) size = ::recv(asked->get(), request.data(), request.size(), MSG_DONTWAIT);
    return size > 0;
  }));
  CHECK(request.starts_with("CONNECT behind.test:7 HTTP/1.1\r\n"));
  const std::string yes = "HTTP/1.1 200 yes\r\n\r\nearly";
  REQUIRE(::send(asked->get(), yes.data(), yes.size(), MSG_NOSIGNAL) > 0);
  REQUIRE(run_until(bed.bed.loop, [&] { return bed.opened.has_value(); }));
  CHECK(bed.opened->socket.valid());
  CHECK(bed.opened->early == "early");
}

TEST_CASE("a proxy that cannot be reached is not told as the target") {
  ConnectorBed bed;
  const std::uint16_t closed = local_end(listen_at({kFirst, 0}).get())->port;
  bed.target = {.name = "behind.test", .asked = {kFirst, 7}};
  bed.bed.policy.proxy = network::Proxy{.host = "127.0.0.1", .port = closed};
  REQUIRE(bed.open());
  CHECK(bed.opened->problem == "the proxy could not be reached: Connection refused");
  bed.bed.policy.proxy = network::Proxy{.host = "proxy.test", .port = closed};
  bed.bed.resolver.answers["proxy.test"] = {.state = Resolved::State::no_such_name};
  REQUIRE(bed.open());
  CHECK(bed.opened->problem == "there is no such name as the proxy's");
  bed.bed.resolver.answers["proxy.test"] = {.state = Resolved::State::failed, .problem = "why"};
  REQUIRE(bed.open());
  CHECK(bed.opened->problem == "the proxy's name could not be resolved: why");
}

TEST_CASE("nobody is connected to himself") {
  // The kernel goes through the ports of one parity in turn for an address that is asked for again
  // and again, and may give the socket the very port that it connects to.
  std::uint16_t port = 0;
  {
    const os::UniqueFd probe = loopback_socket(SOCK_STREAM, port);
  }
  ConnectorBed bed;
  for (int parity = 0; parity < 2; ++parity, ++port) {
    bed.target = {.asked = {kFirst, port}, .host_port = true};
    for (int i = 0; i < 40'000; ++i) {
      REQUIRE(bed.open());
      REQUIRE_FALSE(bed.opened->socket.valid());
      REQUIRE(bed.opened->verdict == Verdict::failed);
    }
  }
}

}  // namespace
}  // namespace sbx::egress
