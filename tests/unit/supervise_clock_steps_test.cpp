#include <doctest/doctest.h>

#include "supervise/clock_steps.hpp"

using namespace sbx::supervise;

TEST_CASE("a clock that nobody sets is not set back, however often it is asked") {
  const ClockOffset then = clock_offset();
  for (int i = 0; i < 10000; ++i) REQUIRE(set_back(then, clock_offset()) == 0);
}

TEST_CASE("set back is what cannot be the time between two readings, and all of it") {
  const ClockOffset then{.least = 1000, .most = 1010};
  CHECK(set_back(then, {.least = 1000, .most = 1010}) == 0);
  CHECK(set_back(then, {.least = 900, .most = 1000}) == 0);
  CHECK(set_back(then, {.least = 5000, .most = 5010}) == 0);  // set forward
  CHECK(set_back(then, {.least = 490, .most = 500}) == 520);
}
