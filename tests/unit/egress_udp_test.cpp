// Flows of datagrams to sockets of the loopback.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <string>

#include "egress/sockets.hpp"
#include "egress_udp_testing.hpp"

namespace sbx::egress {
namespace {

using network::parse_address;

TEST_CASE("datagrams go and come, whole, and are counted") {
  FlowBed bed;
  Host host;
  const auto flow = bed.flow(FlowBed::at(host.port));
  flow->start();
  const std::string large(60000, 'x');
  for (const std::string& text : {std::string("one"), std::string(), large}) {
    flow->send(bytes_of(text));
    CHECK(host.receive(bed.loop) == text);
  }
  host.answer("two");
  host.answer(large);
  CHECK(run_until(bed.loop, [&] { return bed.delivered.size() == 2; }));
  CHECK(bed.delivered == std::vector<std::string>{"two", large});
  const auto all = bed.account.take();
  REQUIRE(all.size() == 1);
  CHECK(all[0].protocol == network::Protocol::udp);
  CHECK(all[0].host == "127.0.0.1");
  CHECK(all[0].port == host.port);
  CHECK(all[0].count == 1);
  CHECK(all[0].sent == 60003);
  CHECK(all[0].received == 60003);
}

TEST_CASE("nobody but the destination is heard") {
  FlowBed bed;
  Host host;
  Host stranger;
  const auto flow = bed.flow(FlowBed::at(host.port));
  flow->start();
  flow->send(bytes_of("one"));
  host.receive(bed.loop);
  stranger.from = host.from;
  stranger.size = host.size;
  stranger.answer("evil");
  host.answer("good");
  CHECK(run_until(bed.loop, [&] { return !bed.delivered.empty(); }));
  CHECK(bed.delivered == std::vector<std::string>{"good"});
}

TEST_CASE("where nobody listens the flow ends, and its slot is free") {
  FlowBed bed;
  std::uint16_t port = 0;
  {
    const Host gone;
    port = gone.port;
  }
  auto flow = bed.flow(FlowBed::at(port));
  flow->start();
  flow->send(bytes_of("one"));
  CHECK(run_until(bed.loop, [&] { return bed.ended; }));
  flow->send(bytes_of("late"));
  CHECK(bed.slots.taken() == 0);
  flow.reset();
  CHECK(bed.slots.taken() == 0);
  const auto all = bed.account.take();
  REQUIRE(all.size() == 2);
  CHECK(all[1].verdict == Verdict::failed);
  CHECK(all[1].reason == "Connection refused");
}

TEST_CASE("few datagrams wait for a name") {
  FlowBed bed;
  bed.policy.allow.push_back(network::parse_rule("udp:host.example:*").value());
  Target target = FlowBed::at(9);
  target.name = "host.example";
  auto flow = bed.flow(target);
  flow->start();
  for (int at = 0; at < 10; ++at) flow->send(bytes_of(std::string(1000, 'x')));
  CHECK(bed.waiting.bytes == 4000);
  REQUIRE(bed.resolver.open.size() == 1);
  SUBCASE("an address that a public name must not have") {
    for (const char* text : {"127.0.0.1", "10.0.0.1", "169.254.169.254", "::1"})
      bed.resolver.answers[text] = {};
    bed.resolver.open[0].second({.state = Resolved::State::found,
                                 .addresses = {parse_address("127.0.0.1").value(),
                                               parse_address("169.254.169.254").value()}});
    CHECK(bed.account.take().front().verdict == Verdict::denied);
    CHECK(bed.account.take().front().host == "host.example");
  }
  SUBCASE("no such name") {
    bed.resolver.open[0].second({.state = Resolved::State::no_such_name});
    CHECK(bed.account.take().front().verdict == Verdict::failed);
  }
  SUBCASE("a name server that fails") {
    bed.resolver.open[0].second({.state = Resolved::State::failed, .problem = "it is dark"});
    CHECK(bed.account.take().front().reason.ends_with("it is dark"));
  }
  CHECK(bed.ended);
  CHECK(bed.waiting.bytes == 0);
  CHECK(bed.account.take().size() == 1);
}

TEST_CASE("an answer that comes after the flow reaches nobody") {
  FlowBed bed;
  Target target = FlowBed::at(9);
  target.name = "host.example";
  auto flow = bed.flow(target);
  flow->start();
  flow->send(bytes_of("one"));
  flow.reset();
  CHECK(bed.waiting.bytes == 0);
  bed.resolver.open[0].second({.state = Resolved::State::no_such_name});
  CHECK(bed.account.take().empty());
}

TEST_CASE("the total of bytes ends a flow, a rate drops") {
  Host host;
  SUBCASE("total") {
    FlowBed bed({.total = 10});
    const auto flow = bed.flow(FlowBed::at(host.port));
    flow->start();
    flow->send(bytes_of("12345678"));
    CHECK(host.receive(bed.loop) == "12345678");
    flow->send(bytes_of("90123"));
    CHECK(bed.ended);
    CHECK(bed.account.take().back().verdict == Verdict::limited);
  }
  SUBCASE("rate") {
    FlowBed bed({.up = 1000});
    const auto flow = bed.flow(FlowBed::at(host.port));
    flow->start();
    for (int at = 0; at < 100; ++at) flow->send(bytes_of(std::string(100, 'x')));
    CHECK_FALSE(bed.ended);
    CHECK(bed.account.take().front().sent <= 300);
  }
}

TEST_CASE("datagrams to what no rule allows are dropped and accounted") {
  FlowBed bed;
  std::uint16_t port = 0;
  UdpFlows flows(bed.desk);
  std::vector<os::PortSocket> sockets(1);
  sockets[0].socket = wildcard_datagrams(port);
  sockets[0].port = port;
  REQUIRE(flows.start(std::move(sockets)).has_value());
  std::uint16_t own = 0;
  const os::UniqueFd payload = loopback_socket(SOCK_DGRAM, own);
  sockaddr_storage to{};
  const socklen_t size = to_sockaddr({network::v4(127, 3, 2, 1), port}, false, to);
  for (int at = 0; at < 3; ++at)
    REQUIRE(::sendto(payload.get(), "x", 1, 0, reinterpret_cast<sockaddr*>(&to), size) == 1);
  CHECK(run_until(bed.loop, [&] {
    const auto all = bed.account.take();
    return all.size() == 1 && all[0].count == 3;
  }));
  const Connections denied = bed.account.take().front();
  CHECK(denied.verdict == Verdict::denied);
  CHECK(denied.host == "127.3.2.1");
  CHECK(denied.port == port);
  CHECK(flows.size() == 0);
  CHECK(bed.slots.taken() == 0);
}

}  // namespace
}  // namespace sbx::egress
