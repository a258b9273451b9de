// What the DNS inside answers, over real sockets, with a resolver that the test answers for.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <string>

#include "egress_dns_testing.hpp"

namespace sbx::egress {
namespace {

using network::parse_address;
using State = Resolved::State;

std::string bytes_of(const network::Address& address, std::size_t from) {
  return {address.bytes.begin() + static_cast<std::ptrdiff_t>(from), address.bytes.end()};
}

TEST_CASE("an allowed name has its synthetic addresses, asked at whatever address") {
  DnsBed bed;
  for (const char* server : {"127.0.0.1", "127.9.8.7", "::1"}) {
    CAPTURE(server);
    const Answer v4 = bed.ask("good.example", kA, server);
    CHECK(v4.code == 0);
    CHECK(v4.id == 7);
    CHECK(v4.ttl == 30);
    CHECK(v4.data == std::string("\306\22\0\2", 4));
    const Answer v6 = bed.ask("good.example", kAaaa, server);
    CHECK(v6.data == bytes_of(parse_address("fd5b:7862:7362::2").value(), 0));
  }
  CHECK(bed.account.take().empty());
}

TEST_CASE("without IPv6 in the sandbox there are no AAAA") {
  DnsBed bed(false);
  CHECK(bed.ask("good.example", kAaaa).records == 0);
  CHECK(bed.ask("good.example", kAaaa).code == 0);
  CHECK(bed.ask("localhost", kAaaa).records == 0);
  CHECK(bed.ask("good.example", kA).records == 1);
}

TEST_CASE("a name that is not allowed is refused at once, accounted, and nobody is asked") {
  DnsBed bed;
  CHECK(bed.ask("evil.example", kA).code == 5);
  CHECK(bed.ask("EVIL.example", kTxt).code == 5);
  CHECK(bed.ask("wild.example", kA).code == 5);
  CHECK(bed.ask("metadata", kA).code == 5);
  CHECK(bed.resolver.open.empty());
  const auto all = bed.account.take();
  REQUIRE(all.size() == 3);
  CHECK(all[0].host == "evil.example");
  CHECK(all[0].verdict == Verdict::denied);
  CHECK(!all[0].port);
  CHECK(all[0].count == 2);
  CHECK_FALSE(all[0].reason.empty());
  CHECK(all[0].allow_with.contains("evil.example:443"));
}

TEST_CASE("what the host's DNS says is passed on") {
  DnsBed bed;
  bed.resolver.answers["none.wild.example"] = {.state = State::no_such_name};
  bed.resolver.answers["bad.wild.example"] = {.state = State::failed, .problem = "it is dark"};
  bed.resolver.answers["file.wild.example"] = {.state = State::found,
                                               .addresses = {parse_address("192.0.2.1").value()}};
  bed.resolver.answers["long.wild.example"] = {
      .state = State::found, .addresses = {parse_address("192.0.2.1").value()}, .ttl = 86400};
  CHECK(bed.ask("none.wild.example", kA).code == 3);
  CHECK(bed.ask("bad.wild.example", kA).code == 2);
  CHECK(bed.ask("file.wild.example", kA).ttl == 1);
  CHECK(bed.ask("long.wild.example", kA).ttl == 60);
  const auto all = bed.account.take();
  REQUIRE(all.size() == 2);
  CHECK(all[0].verdict == Verdict::failed);
  CHECK(all[0].reason == "there is no such name");
  CHECK(all[1].verdict == Verdict::failed);
  CHECK(all[1].reason == "it is dark");
}

TEST_CASE("other types of an allowed name are empty, without asking") {
  DnsBed bed;
  for (const std::uint16_t type : {kHttps, kTxt, std::uint16_t{255}}) {
    const Answer answer = bed.ask("other.wild.example", type);
    CHECK(answer.code == 0);
    CHECK(answer.records == 0);
  }
  CHECK(bed.resolver.open.empty());
}

TEST_CASE("addresses have names, if they are names' addresses") {
  DnsBed bed;
  CHECK(bed.ask("2.0.18.198.in-addr.arpa", kPtr).code == 3);
  bed.ask("good.example", kA);
  const std::string name("\4good\7example\0", 14);
  CHECK(bed.ask("2.0.18.198.in-addr.arpa", kPtr).data == name);
  CHECK(bed.ask("2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.2.6.3.7.2.6.8.7.b.5.d.f.ip6.arpa", kPtr)
            .data == name);
  CHECK(bed.ask("2.0.18.198.in-addr.arpa", kTxt).code == 0);
  CHECK(bed.ask("1.0.0.127.in-addr.arpa", kPtr).data == std::string("\11localhost\0", 11));
  CHECK(bed.ask("8.8.8.8.in-addr.arpa", kPtr).code == 3);
  CHECK(bed.ask("what.in-addr.arpa", kPtr).code == 3);
  CHECK(bed.account.take().empty());
}

TEST_CASE("localhost is the sandbox's own") {
  DnsBed bed;
  CHECK(bed.ask("localhost", kA).data == std::string("\177\0\0\1", 4));
  CHECK(bed.ask("a.localhost", kAaaa).data == bytes_of(parse_address("::1").value(), 0));
  CHECK(bed.ask("localhost", kTxt).records == 0);
}

TEST_CASE("behind a proxy the host is not asked") {
  DnsBed bed;
  bed.policy.proxy = network::Proxy{.host = "proxy", .port = 3128};
  CHECK(bed.ask("any.wild.example", kA).records == 1);
  CHECK(bed.ask("any.wild.example", kA).ttl == 60);
  CHECK(bed.ask("evil.example", kA).code == 5);
  CHECK(bed.resolver.open.empty());
}

TEST_CASE("questions that wait are bounded, and their answers come when they come") {
  DnsBed bed;
  std::vector<os::UniqueFd> clients;
  for (int at = 0; at < 260; ++at) {
    clients.push_back(bed.datagrams());
    const auto text = query(std::to_string(at) + ".wild.example", kA);
    REQUIRE(::send(clients.back().get(), text.data(), text.size(), 0) > 0);
    bed.loop.step();
  }
  REQUIRE(run_until(bed.loop, [&] { return bed.resolver.open.size() == 256; }));
  const std::size_t asked = query("259.wild.example", kA).size();
  CHECK(read_answer(bed.receive(clients.back().get()), asked).code == 2);
  CHECK(bed.account.take().front().verdict == Verdict::limited);
  for (auto& [name, done] : std::exchange(bed.resolver.open, {}))
    done({.state = State::no_such_name});
  CHECK(read_answer(bed.receive(clients.front().get()), asked).code == 3);
  CHECK(bed.ask("good.example", kA).code == 0);
}

TEST_CASE("what is no query is answered as such or not at all") {
  DnsBed bed;
  const os::UniqueFd client = bed.datagrams();
  std::string text = query("good.example", kA);
  for (const std::string& bad : {std::string(), std::string("x"), std::string(5000, '\0')})
    static_cast<void>(::send(client.get(), bad.data(), bad.size(), 0));
  std::string response = text;
  response[2] = static_cast<char>(0x81);
  static_cast<void>(::send(client.get(), response.data(), response.size(), 0));
  REQUIRE(::send(client.get(), text.data(), text.size(), 0) > 0);
  CHECK(read_answer(bed.receive(client.get()), text.size()).data.size() == 4);
}

TEST_CASE("an answer that comes after the service has gone reaches nobody") {
  DnsBed bed;
  const os::UniqueFd client = bed.datagrams();
  const auto text = query("late.wild.example", kA);
  REQUIRE(::send(client.get(), text.data(), text.size(), 0) > 0);
  REQUIRE(run_until(bed.loop, [&] { return !bed.resolver.open.empty(); }));
  bed.service.reset();
  bed.resolver.open.front().second({.state = State::no_such_name});
}

}  // namespace
}  // namespace sbx::egress
