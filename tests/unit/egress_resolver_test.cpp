// Names by c-ares, against a DNS server in the test.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "egress/cares_resolver.hpp"
#include "egress_testing.hpp"

namespace sbx::egress {
namespace {

using network::parse_address;
using State = Resolved::State;

struct Bed {
  Loop loop{};
  std::unique_ptr<TestDns> dns{};
  std::unique_ptr<CaresResolver> resolver{};
  std::vector<Resolved> answers{};

  Bed() {
    REQUIRE(loop.open().has_value());
    dns = std::make_unique<TestDns>(loop);
    resolver = std::make_unique<CaresResolver>(loop, dns->servers());
  }
  void ask(const std::string& name) {
    resolver->resolve(name, [this](const Resolved& answer) { answers.push_back(answer); });
  }
  bool answered(std::size_t count) {
    return run_until(loop, [&] { return answers.size() >= count; });
  }
};

TEST_CASE("a name is resolved in both families, with the shortest time to live") {
  Bed bed;
  const auto v4 = parse_address("192.0.2.7").value();
  const auto v6 = parse_address("2001:db8::7").value();
  bed.dns->hosts["both.example"] = {.addresses = {v4, v6}, .ttl = 42};
  bed.ask("both.example");
  REQUIRE(bed.answered(1));
  CHECK(bed.answers[0].state == State::found);
  CHECK(bed.answers[0].ttl == 42);
  REQUIRE(bed.answers[0].addresses.size() == 2);
  CHECK(std::ranges::count(bed.answers[0].addresses, v4) == 1);
  CHECK(std::ranges::count(bed.answers[0].addresses, v6) == 1);
  CHECK(std::ranges::all_of(bed.dns->asked, [](const std::string& one) {
    return one == "both.example A" || one == "both.example AAAA";
  }));
}

TEST_CASE("askers for one name share a question, and its answer is kept") {
  Bed bed;
  bed.dns->hosts["a.example"] = {.addresses = {parse_address("192.0.2.1").value()}};
  for (int at = 0; at < 10; ++at) bed.ask("a.example");
  REQUIRE(bed.answered(10));
  CHECK(bed.dns->asked.size() == 2);
  bed.ask("a.example");
  CHECK(bed.answers.size() == 11);
  CHECK(bed.answers[10].addresses == bed.answers[0].addresses);
  CHECK(bed.dns->asked.size() == 2);
}

TEST_CASE("a name that does not exist is asked for as it is, and nowhere else") {
  Bed bed;
  bed.ask("missing.example");
  bed.ask("single");
  REQUIRE(bed.answered(2));
  CHECK(bed.answers[0].state == State::no_such_name);
  CHECK(bed.answers[1].state == State::no_such_name);
  CHECK(bed.dns->asked.size() == 4);
  for (const auto& one : bed.dns->asked)
    CHECK((one.starts_with("missing.example ") || one.starts_with("single ")));
}

TEST_CASE("a name without an address, and one of a server that fails") {
  Bed bed;
  bed.dns->hosts["empty.example"] = {};
  bed.ask("empty.example");
  REQUIRE(bed.answered(1));
  CHECK(bed.answers[0].state == State::no_such_name);
  bed.dns->code = 2;
  bed.ask("other.example");
  REQUIRE(bed.answered(2));
  CHECK(bed.answers[1].state == State::failed);
  CHECK(bed.answers[1].problem == "no DNS server has an answer");
}

TEST_CASE("who asks a server that is silent is told in five seconds") {
  Bed bed;
  bed.dns->silent = true;
  bed.ask("a.example");
  const Nanos before = bed.loop.now();
  REQUIRE(bed.answered(1));
  CHECK(bed.answers[0].state == State::failed);
  CHECK(bed.answers[0].problem == "timeout while contacting DNS servers");
  CHECK(bed.loop.now() - before < 6 * kSecond);
}

TEST_CASE("who asks where nobody listens is told at once") {
  Bed bed;
  const std::string servers = bed.dns->servers();
  bed.dns.reset();
  CaresResolver resolver(bed.loop, servers);
  resolver.resolve("a.example", [&](const Resolved& answer) { bed.answers.push_back(answer); });
  const Nanos before = bed.loop.now();
  REQUIRE(bed.answered(1));
  CHECK(bed.answers[0].state == State::failed);
  CHECK(bed.loop.now() - before < kSecond);
}

TEST_CASE("open questions are bounded") {
  Bed bed;
  bed.dns->silent = true;
  for (int at = 0; at < 64; ++at) bed.ask(std::to_string(at) + ".example");
  CHECK(bed.answers.empty());
  CHECK(bed.resolver->busy());
  bed.ask("another.example");
  REQUIRE(bed.answers.size() == 1);
  CHECK(bed.answers[0].state == State::failed);
  bed.ask("0.example");
  CHECK(bed.answers.size() == 1);
  bed.resolver.reset();  // nobody is told, nothing is left
  bed.loop.step();
  CHECK(bed.answers.size() == 1);
  CHECK_FALSE(bed.loop.next().has_value());
}

TEST_CASE("who asks from an answer is answered too") {
  Bed bed;
  bed.dns->hosts["a.example"] = {.addresses = {parse_address("192.0.2.1").value()}};
  bed.resolver->resolve("a.example", [&](const Resolved&) {
    bed.ask("a.example");
    bed.ask("b.example");
  });
  REQUIRE(bed.answered(2));
  CHECK(bed.answers[0].state == State::found);
  CHECK(bed.answers[1].state == State::no_such_name);
}

std::vector<int> inherited() {
  std::vector<int> all;
  for (int fd = 0; fd < 200; ++fd) {
    const int flags = ::fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) all.push_back(fd);
  }
  return all;
}

TEST_CASE("sockets of c-ares are not inherited") {
  const auto before = inherited();
  Bed bed;
  bed.dns->silent = true;
  bed.ask("a.example");
  bed.loop.step();
  CHECK(inherited() == before);
}

Resolved of(std::uint32_t ttl) {
  return {.state = State::found, .addresses = {parse_address("192.0.2.1").value()}, .ttl = ttl};
}

TEST_CASE("answers are kept for their time, at least a second, at most five minutes") {
  AnswerCache cache;
  cache.keep("zero", of(0), 0);
  cache.keep("ten", of(10), 0);
  cache.keep("day", of(86400), 0);
  cache.keep("none", {.state = State::no_such_name, .ttl = 100}, 0);
  CHECK(cache.find("zero", kSecond - 1).has_value());
  CHECK_FALSE(cache.find("zero", kSecond).has_value());
  CHECK_FALSE(cache.find("none", kSecond).has_value());
  CHECK(cache.find("ten", 4 * kSecond).value().ttl == 6);
  CHECK_FALSE(cache.find("ten", 10 * kSecond).has_value());
  CHECK(cache.find("day", 299 * kSecond).has_value());
  CHECK_FALSE(cache.find("day", 300 * kSecond).has_value());
}

TEST_CASE("the cache is bounded, and what ends next gives way") {
  AnswerCache cache;
  cache.keep("long", of(300), 0);
  cache.keep("short", of(2), 0);
  for (std::size_t at = 2; at < AnswerCache::kMost; ++at)
    cache.keep(std::to_string(at), of(100), 0);
  CHECK(cache.size() == AnswerCache::kMost);
  cache.keep("more", of(100), kSecond);
  CHECK(cache.size() == AnswerCache::kMost);
  CHECK_FALSE(cache.find("short", kSecond).has_value());
  CHECK(cache.find("long", kSecond).has_value());
  CHECK(cache.find("more", kSecond).has_value());
}

}  // namespace
}  // namespace sbx::egress
