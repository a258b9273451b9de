// When to look at the tree, and when it has gone over.
#include <doctest/doctest.h>

#include "supervise/tree_watch.hpp"

using namespace sbx::supervise;  // NOLINT(google-build-using-namespace)

TEST_CASE("without a limit nobody looks") {
  const TreeWatch watch(std::nullopt);
  CHECK_FALSE(watch.due(0));
  CHECK_FALSE(watch.next());
  CHECK_FALSE(watch.over());
  CHECK_FALSE(watch.peak());
}

TEST_CASE("looks come at intervals until the limit is passed, and the peak stays") {
  TreeWatch watch(100);
  CHECK(watch.due(0));
  watch.note(0, 60);
  CHECK_FALSE(watch.due(0));
  REQUIRE(watch.next());
  CHECK(watch.due(*watch.next()));
  watch.note(*watch.next(), 100);
  CHECK_FALSE(watch.over());  // a limit may be reached
  watch.note(*watch.next(), 40);
  CHECK(watch.peak() == 100);
  watch.note(*watch.next(), 101);
  CHECK(watch.over());
  CHECK_FALSE(watch.next());
}

TEST_CASE("a limit of none is over at the first") {
  TreeWatch watch(0);
  watch.note(0, 0);
  CHECK_FALSE(watch.over());
  REQUIRE(watch.next());
  watch.note(*watch.next(), 1);
  CHECK(watch.over());
}

TEST_CASE("a tree that is gone is no measurement") {
  TreeWatch watch(100);
  watch.note(0, std::nullopt);
  watch.note(*watch.next(), 0);  // it ended while somebody looked
  CHECK_FALSE(watch.peak());
  CHECK(watch.next());
}

TEST_CASE("what grows slowly is looked at when it could have reached the limit") {
  constexpr Nanos kOnce = 20 * kMillisecond;
  constexpr Nanos kLongest = 100 * kMillisecond;
  TreeWatch watch(100, kOnce, kLongest);
  const auto pause = [&](std::uint64_t used, double fastest) {
    watch.note_slow(5, used, fastest);
    return watch.next().value_or(5) - 5;
  };
  CHECK(pause(0, 2000) == 50 * kMillisecond);
  CHECK(pause(40, 2000) == 30 * kMillisecond);
  CHECK(pause(90, 2000) == kOnce);
  CHECK(pause(100, 2000) == kOnce);
  CHECK(pause(0, 1) == kLongest);
  CHECK(watch.last() == 0);
  CHECK(watch.peak() == 100);
  CHECK(pause(101, 2000) == 0);
  CHECK(watch.over());
}

TEST_CASE("a watch that has begun looks for the first time after its interval") {
  TreeWatch watch(100, 250);
  watch.begin(1000);
  CHECK_FALSE(watch.due(1249));
  CHECK(watch.due(1250));
  watch.note(1300, 0);
  CHECK(watch.next() == 1550);
}
