// The budget of a supervisor that is asked all the time. How calls are answered:
// sandbox/test_denials.py.
#include <doctest/doctest.h>

#include "supervise/denials.hpp"

using namespace sbx;
using namespace sbx::supervise;

namespace {

constexpr Nanos kMicrosecond = 1'000;

/// Asked without end for `seconds`, each answer costing `price`: what was spent.
Nanos spent_in(Nanos seconds, Nanos price) {
  Allowance allowance;
  allowance.start(0);
  Nanos spent = 0;
  for (Nanos now = 0; now < seconds * kSecond;) {
    const bool more = allowance.spend(price, now);
    spent += price;
    now = more ? now + price : allowance.enough_at();
  }
  return spent;
}

}  // namespace

TEST_CASE("an ordinary number of denials is answered at once") {
  Allowance allowance;
  allowance.start(0);
  for (int i = 0; i < 10'000; ++i) CHECK(allowance.spend(3 * kMicrosecond, 0));
}

TEST_CASE("a flood gets a small share of a processor, whatever an answer costs") {
  for (const Nanos price : {1 * kMicrosecond, 5 * kMicrosecond, 100 * kMicrosecond}) {
    const Nanos first = spent_in(1, price);
    CHECK(spent_in(101, price) - first < 100 * kSecond / 40);
    CHECK(spent_in(101, price) - first > 100 * kSecond / 80);
  }
}

TEST_CASE("what was saved up is bounded") {
  Allowance allowance;
  allowance.start(0);
  CHECK(allowance.spend(0, 1'000'000 * kSecond));
  CHECK_FALSE(allowance.spend(60 * kMillisecond, 1'000'000 * kSecond));
  CHECK(allowance.enough_at() > 1'000'000 * kSecond);
}

TEST_CASE("without a listener nothing is known, and nobody is waited for") {
  Denials denials;
  plan::Plan plan;
  CHECK(denials.start({}, plan, 0));
  PollSet set;
  denials.watch(set, 0);
  CHECK(set.size() == 0);
  CHECK_FALSE(denials.take());
  CHECK_FALSE(denials.next());
}
