// Whose turn is next.
#include <doctest/doctest.h>

#include "batch/turns.hpp"

using sbx::batch::Turn;
using sbx::batch::Turns;

namespace {

std::vector<std::uint32_t> drain(Turns& turns) {
  std::vector<std::uint32_t> jobs;
  while (const auto turn = turns.head()) {
    jobs.push_back(turn->job);
    turns.drop_head();
  }
  return jobs;
}

}  // namespace

TEST_CASE("first turns come in order, and each once") {
  Turns turns({3, 1, 2});
  CHECK(turns.head().value_or(Turn{}).job == 3);
  CHECK(turns.head().value_or(Turn{.job = 0, .attempts = 7}).attempts == 0);
  CHECK(drain(turns) == std::vector<std::uint32_t>{3, 1, 2});
  CHECK_FALSE(turns.head());
}

TEST_CASE("a job without room goes before all, one that is tried again behind all") {
  Turns turns({0, 1, 2});
  turns.drop_head();
  turns.retry({.job = 0, .attempts = 1});
  turns.give_back({.job = 9, .attempts = 2});
  CHECK(turns.head().value_or(Turn{}).attempts == 2);
  CHECK(drain(turns) == std::vector<std::uint32_t>{9, 1, 2, 0});
}

TEST_CASE("what comes back when nobody waits is next") {
  Turns turns({});
  CHECK_FALSE(turns.head());
  turns.retry({.job = 5, .attempts = 1});
  turns.give_back({.job = 4, .attempts = 0});
  CHECK(drain(turns) == std::vector<std::uint32_t>{4, 5});
}
