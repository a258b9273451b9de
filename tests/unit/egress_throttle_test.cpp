// Rates and the total, with time as a number.
#include "egress/throttle.hpp"

#include <doctest/doctest.h>

#include "egress/slots.hpp"

namespace sbx::egress {
namespace {

TEST_CASE("without limits everything passes at once") {
  Throttle throttle(network::Limits{});
  CHECK(throttle.grant(Direction::up, 1U << 30U, 5) == 1U << 30U);
  CHECK(throttle.grant_whole(Direction::down, 65535, 5));
  CHECK(throttle.when(Direction::up) <= 5);
  CHECK_FALSE(throttle.exhausted());
}

TEST_CASE("a rate holds over time, each way on its own") {
  Throttle throttle(network::Limits{.down = 1'000'000});
  std::uint64_t passed = 0;
  Nanos now = 100 * kSecond;
  while (now < 110 * kSecond) {
    const std::size_t granted = throttle.grant(Direction::down, 65536, now);
    passed += granted;
    if (granted == 0) {
      const Nanos when = throttle.when(Direction::down);
      REQUIRE(when > now);
      REQUIRE(when - now <= 26 * kMilli);
      now = when;
    }
  }
  CHECK(passed >= 9'900'000);
  CHECK(passed <= 10'200'000);
  CHECK(throttle.grant(Direction::up, 65536, now) == 65536);
}

TEST_CASE("what was granted and not used comes back") {
  Throttle throttle(network::Limits{.up = 1000, .total = 150});
  CHECK(throttle.grant(Direction::up, 500, 0) == 100);
  CHECK(throttle.grant(Direction::up, 500, 0) == 0);
  throttle.refund(Direction::up, 60);
  CHECK(throttle.grant(Direction::up, 500, 0) == 60);
  CHECK(throttle.grant(Direction::down, 500, 0) == 50);
  CHECK(throttle.exhausted());
  CHECK(throttle.grant(Direction::down, 1, kSecond) == 0);
}

TEST_CASE("datagrams pass whole at the rate, also those larger than a bucket") {
  Throttle throttle(network::Limits{.up = 1000});
  std::uint64_t passed = 0;
  for (Nanos now = 0; now < 100 * kSecond; now += 10 * kMilli) {
    if (throttle.grant_whole(Direction::up, 1500, now)) passed += 1500;
  }
  CHECK(passed >= 97'500);
  CHECK(passed <= 103'000);
}

TEST_CASE("a datagram that the total has no room for ends it") {
  Throttle throttle(network::Limits{.total = 1000});
  CHECK(throttle.grant_whole(Direction::up, 900, 0));
  CHECK_FALSE(throttle.exhausted());
  CHECK_FALSE(throttle.grant_whole(Direction::down, 101, 0));
  CHECK(throttle.exhausted());
}

TEST_CASE("a clock that stands still or goes back fills nothing") {
  Throttle throttle(network::Limits{.up = 1000});
  CHECK(throttle.grant(Direction::up, 100, kSecond) == 100);
  CHECK(throttle.grant(Direction::up, 100, 0) == 0);
  CHECK(throttle.grant(Direction::up, 100, kSecond) == 0);
}

TEST_CASE("slots are as many as they are") {
  Slots slots(2);
  CHECK(slots.take());
  CHECK(slots.take());
  CHECK_FALSE(slots.take());
  slots.release();
  CHECK(slots.taken() == 1);
  CHECK(slots.take());
  CHECK_FALSE(Slots(0).take());
}

}  // namespace
}  // namespace sbx::egress
