// Connections to the DNS inside: many queries, few at a time, and nobody who can block the others.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "egress_dns_testing.hpp"

namespace sbx::egress {
namespace {

using State = Resolved::State;

TEST_CASE("a connection has many queries, cut anywhere, answered as they resolve") {
  DnsBed bed;
  const os::UniqueFd client = bed.stream();
  const auto slow = query("slow.wild.example", kA, 1);
  const auto good = query("good.example", kA, 2);
  const auto evil = query("evil.example", kA, 3);
  const std::string all = framed(slow) + framed(good) + framed(evil);
  for (const char byte : all) {
    bed.loop.step();
    REQUIRE(::send(client.get(), &byte, 1, 0) == 1);
  }
  CHECK(bed.receive_framed(client.get(), good.size()).id == 2);
  CHECK(bed.receive_framed(client.get(), evil.size()).code == 5);
  REQUIRE(bed.resolver.open.size() == 1);
  REQUIRE(::shutdown(client.get(), SHUT_WR) == 0);
  CHECK_FALSE(bed.closed(client.get(), 50 * kMilli));
  bed.resolver.open.front().second({.state = State::no_such_name});
  CHECK(bed.receive_framed(client.get(), slow.size()).code == 3);
  CHECK(bed.closed(client.get()));
}

TEST_CASE("more queries than may wait wait in the socket, and none is lost") {
  DnsBed bed;
  const os::UniqueFd client = bed.stream();
  std::string all;
  for (std::uint16_t at = 0; at < 100; ++at)
    all += framed(query(std::to_string(1000 + at) + ".wild.example", kA, at));
  bed.loop.step();
  REQUIRE(::send(client.get(), all.data(), all.size(), 0) == static_cast<ssize_t>(all.size()));
  std::size_t answered = 0;
  while (answered < 100) {
    REQUIRE(run_until(bed.loop, [&] { return !bed.resolver.open.empty(); }));
    CHECK(bed.resolver.open.size() <= 32);
    for (auto& [name, done] : std::exchange(bed.resolver.open, {})) {
      done({.state = State::no_such_name});
      ++answered;
    }
  }
  for (unsigned at = 0; at < 100; ++at) {
    const Answer answer = bed.receive_framed(client.get(), 0);
    CHECK(answer.id == at);
    CHECK(answer.code == 3);
  }
}

TEST_CASE("what is still asked for connections that gave way is bounded") {
  DnsBed bed;
  std::string all;
  for (std::uint16_t at = 0; at < 32; ++at) all += framed(query("slow.wild.example", kA, at));
  for (int round = 0; round < 100; ++round) {
    const os::UniqueFd client = bed.stream();
    REQUIRE(::send(client.get(), all.data(), all.size(), 0) == static_cast<ssize_t>(all.size()));
    const std::size_t before = bed.resolver.open.size();
    run_until(bed.loop, [&] { return bed.resolver.open.size() >= before + 32; }, 5 * kMilli);
  }
  CHECK(bed.resolver.open.size() >= 32 * 16);
  CHECK(bed.resolver.open.size() <= 1024);
  for (auto& [name, done] : std::exchange(bed.resolver.open, {}))
    done({.state = State::no_such_name});
  CHECK(bed.ask("slow.wild.example", kPtr).code == 0);
  const os::UniqueFd client = bed.stream();
  REQUIRE(::send(client.get(), all.data(), all.size(), 0) == static_cast<ssize_t>(all.size()));
  CHECK(run_until(bed.loop, [&] { return bed.resolver.open.size() == 32; }));
}

TEST_CASE("answers that nobody reads do not pile up") {
  DnsBed bed;
  const os::UniqueFd client = bed.stream();
  std::string many;
  for (int at = 0; at < 1000; ++at) many += framed(query("localhost", kA));
  std::size_t at = 0;
  int refused = 0;
  const bool stuck = run_until(bed.loop, [&] {
    const auto sent = ::send(client.get(), many.data() + at, many.size() - at, 0);
    refused = sent < 0 && errno == EAGAIN ? refused + 1 : 0;
    if (sent > 0) at = (at + static_cast<std::size_t>(sent)) % many.size();
    return refused > 10;
  });
  // Both socket buffers are full, so somebody has stopped to read.
  REQUIRE(stuck);
  CHECK(bed.receive(client.get(), 100'000).size() == 100'000);
}

TEST_CASE("a length that no query has ends a connection") {
  DnsBed bed;
  const os::UniqueFd client = bed.stream();
  bed.loop.step();
  REQUIRE(::send(client.get(), "\377\377", 2, 0) == 2);
  CHECK(bed.closed(client.get()));
}

TEST_CASE("connections are bounded: the one that is idle longest gives way") {
  DnsBed bed;
  std::vector<os::UniqueFd> clients;
  const auto text = framed(query("good.example", kA));
  for (int at = 0; at < 17; ++at) {
    clients.push_back(bed.stream());
    bed.loop.step();
    REQUIRE(::send(clients.back().get(), text.data(), text.size(), 0) > 0);
    if (at == 16) break;
    CHECK(bed.receive_framed(clients.back().get(), text.size() - 2).code == 0);
  }
  CHECK(bed.receive_framed(clients[16].get(), text.size() - 2).code == 0);
  CHECK(bed.closed(clients[0].get()));
  CHECK_FALSE(bed.closed(clients[1].get(), 20 * kMilli));
}

}  // namespace
}  // namespace sbx::egress
