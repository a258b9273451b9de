// From what the kernel counted of memory to status and warnings.
#include <doctest/doctest.h>
#include <signal.h>

#include <optional>
#include <string>

#include "supervise_outcome_testing.hpp"

using namespace sbx;
using namespace sbx::supervise;
using namespace sbx::testing;

TEST_CASE("kills for memory without our own limit in the way are somebody else's") {
  plan::Plan plan = some_plan();
  plan.limits.memory = 256U << 20U;
  const Evidence outer{
      .wait_status = killed(SIGKILL), .oom_kills = 1, .memory_limit_reached = false};
  const Outcome killed_for_others = decided(outer, plan);
  CHECK(killed_for_others.status == Status::oom);
  CHECK(killed_for_others.reason.code == "outer_memory");
  CHECK(killed_for_others.reason.limit.empty());
  for (const std::optional<bool> reached : {std::optional(true), {}}) {
    Evidence own = outer;
    own.memory_limit_reached = reached;
    CHECK(decided(own, plan).reason.code == "memory_limit");
    CHECK(decided(own, plan).reason.limit == "256M");
  }
}

TEST_CASE("a whole tree that is to end for the memory limit has ended for it, however it looks") {
  plan::Plan plan = some_plan();
  plan.limits.oom_kill = profile::OomKill::tree;
  const Evidence ends[] = {
      {.wait_status = killed(SIGKILL), .oom_kills = 3},
      {.wait_status = exited(0), .oom_kills = 1},  // it saw its child's end before its own came
      {.wait_status = killed(SIGKILL), .killed_for = KilledFor::memory, .oom_kills = 1},
      {.killed_for = KilledFor::memory, .oom_kills = 1, .init_died = true},
      {.oom_kills = 1, .init_died = true, .init_wait_status = killed(SIGKILL)}};
  for (const Evidence& evidence : ends) {
    const Outcome outcome = decided(evidence, plan);
    CHECK(outcome.status == Status::oom);
    CHECK(outcome.process_exit == 137);
    CHECK(outcome.reason.text.contains("the whole tree was killed (limits.oom_kill)"));
    CHECK_FALSE(outcome.reason.text.contains("no cgroup"));
  }
  CHECK(decided({.wait_status = exited(0), .oom_kills = 0}, plan).status == Status::ok);
  const Outcome late = decided(
      {.wait_status = killed(SIGKILL), .killed_for = KilledFor::wall, .oom_kills = 1}, plan);
  CHECK(late.status == Status::timeout);
  const Outcome sampled =
      decided({.wait_status = killed(SIGKILL), .killed_for = KilledFor::memory}, plan);
  CHECK(sampled.status == Status::oom);
  CHECK(sampled.reason.text.contains("no cgroup holds it here"));
}

TEST_CASE("what no cgroup counts of its sockets ends a run for its memory limit") {
  plan::Plan plan = some_plan();
  plan.limits.memory = 64U << 20U;
  const Evidence evidence{.wait_status = killed(SIGKILL),
                          .killed_for = KilledFor::sockets,
                          .oom_kills = 0,
                          .unread_bytes = 100U << 20U};
  const Outcome outcome = decided(evidence, plan);
  CHECK(outcome.status == Status::oom);
  CHECK(outcome.process_exit == 137);
  CHECK(outcome.reason.code == "memory_limit");
  CHECK(outcome.reason.limit == "64M");
  CHECK(outcome.reason.observed == "100M");
  CHECK(outcome.reason.text.contains("sockets"));
}

TEST_CASE("going above the soft memory limit is a warning with its count, and no end") {
  plan::Plan plan = some_plan();
  const Evidence evidence{.wait_status = exited(0), .memory_high_events = 12};
  CHECK(decided(evidence, plan).warnings.empty());  // somebody else's: we have set none
  plan.limits.memory_high = std::uint64_t{400} << 20U;
  const Outcome outcome = decided(evidence, plan);
  CHECK(outcome.status == Status::ok);
  REQUIRE(outcome.warnings.size() == 1);
  CHECK(outcome.warnings[0].contains("limits.memory_high (400M)"));
  CHECK(outcome.warnings[0].ends_with(": 12"));
  CHECK(decided({.wait_status = exited(0), .memory_high_events = 0}, plan).warnings.empty());
  CHECK(decided({.wait_status = exited(0)}, plan).warnings.empty());
}

TEST_CASE("SIGKILL of the command is the kernel's where nobody else was there to kill") {
  Outcome alone;
  alone.usage.pids_peak = 1;
  decide({.wait_status = killed(SIGKILL), .oom_kills = 1}, some_plan(), alone);
  CHECK(alone.reason.text.starts_with("the kernel killed it because "));
  for (const std::optional<std::uint64_t> peak : {std::optional<std::uint64_t>(2), {}}) {
    Outcome others;
    others.usage.pids_peak = peak;
    decide({.wait_status = killed(SIGKILL), .oom_kills = 1}, some_plan(), others);
    CHECK(others.status == Status::oom);
    CHECK(others.process_exit == 137);
    CHECK(others.reason.text ==
          "the memory limit was reached, and the kernel killed 1 of its processes; the command "
          "itself ended by SIGKILL, the kernel's or somebody else's");
  }
}
