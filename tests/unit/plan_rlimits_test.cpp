// Limits for each process: what is left of them below the caller's own, and who is told.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "plan_testing.hpp"
#include "profile_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)
using sbx::testing::must_load;

namespace {

/// The plan for a caller who may have `hard` open files himself.
Plan planned(const profile::Profile& profile, std::uint64_t hard) {
  HostFacts facts = host_of_user();
  facts.hard_limits = {{"nofile", hard}};
  auto plan = build(profile, command(), facts);
  if (!plan) FAIL(plan.error().to_string());
  return *std::move(plan);
}

/// What each process may have open.
std::optional<std::uint64_t> files_of(const Plan& plan) {
  for (const SetRlimit& step : steps_of<SetRlimit>(plan))
    if (step.name == "nofile") return step.value;
  FAIL("no step");
  return {};
}

}  // namespace

TEST_CASE("a limit above the caller's own is his, in the plan too, and whoever wrote it is told") {
  const Plan plan = planned(must_load("limits: {rlimits: {nofile: 4096}}\n"), 500);
  CHECK(files_of(plan) == 500);
  CHECK(plan.limits.rlimits.at("nofile") == 500);
  REQUIRE(plan.warnings.size() == 1);
  CHECK(plan.warnings.front() ==
        "limits.rlimits.nofile (/p/x.yaml:2:28) is 4096, and the command gets 500: the hard limit "
        "that sbx was started with (ulimit -H)");
  CHECK(index_of(plan, "rlimit nofile = 500") != std::string::npos);
}

TEST_CASE("a flag is told in the same way") {
  profile::LoadRequest request;
  request.overrides = {{"limits.rlimits", "{nofile: 4096}", "--rlimit"}};
  const Plan plan = planned(must_load("", request), 500);
  REQUIRE(plan.warnings.size() == 1);
  CHECK(plan.warnings.front().starts_with("limits.rlimits.nofile (--rlimit) is 4096"));
}

TEST_CASE("below the caller's own nothing changes") {
  const Plan plan = planned(must_load("limits: {rlimits: {nofile: 500}}\n"), 500);
  CHECK(files_of(plan) == 500);
  CHECK(plan.warnings.empty());
}

TEST_CASE("what nobody chose is no warning: defaults, built-in profiles, and no limit at all") {
  const Plan by_default = planned(must_load("limits: {memory: 1G}\n"), 500);
  CHECK(files_of(by_default) == 500);
  CHECK(by_default.warnings.empty());
  const Plan built_in = planned(must_load("extends: [build]\n"), 2000);
  CHECK(files_of(built_in) == 2000);
  CHECK(built_in.warnings.empty());
  const Plan none = planned(must_load("limits: {rlimits: {nofile: none}}\n"), 2000);
  CHECK(files_of(none) == 2000);
  CHECK(none.warnings.empty());
}

TEST_CASE("what stands in for limits.pids holds beside an rlimit of one's own") {
  profile::Profile profile;
  profile.limits.pids = 3;
  profile.degrade = {"cgroup"};
  HostFacts bare = host_of_user();
  bare.cgroups.clear();
  bare.nproc_counts_per_namespace = true;
  const auto last = [&](std::optional<std::uint64_t> nproc) {
    profile.limits.rlimits["nproc"] = nproc;
    const auto plan = build(profile, command(), bare);
    REQUIRE(plan.has_value());
    std::optional<std::uint64_t> value;
    for (const SetRlimit& step : steps_of<SetRlimit>(*plan))
      if (step.name == "nproc") value = step.value;
    CHECK(plan->limits.rlimits.at("nproc") == value);
    return value;
  };
  CHECK(last(50) == 4U);
  CHECK(last(std::nullopt) == 4U);
  CHECK(last(2) == 2U);
}

TEST_CASE("the caller's protection from the OOM killer is taken away before anybody is forked") {
  HostFacts facts = host_of_user();
  const auto steps = [&] {
    const auto plan = build(must_load(""), command(), facts);  // which checks the order
    if (!plan) FAIL(plan.error().to_string());
    return steps_of<ResetOomScore>(*plan).size();
  };
  CHECK(steps() == 0);
  facts.oom_protected = true;
  CHECK(steps() == 1);
  // An ordinary user's command may take it back: the kernel asks how low it was, not who.
  const auto user = build(must_load(""), command(), facts);
  REQUIRE(user);
  REQUIRE(user->warnings.size() == 1);
  CHECK(user->warnings[0].contains("oom_score_adj"));
  HostFacts root = host_of_root();
  root.oom_protected = true;
  CHECK(build(must_load(""), command(), root)->warnings.empty());
}

TEST_CASE("the caller's right to a priority is given only to a command whose profile names it") {
  HostFacts facts = host_of_user();
  facts.priorities = {"nice", "rtprio"};
  const auto set = [&](const std::string& text) {
    std::map<std::string, std::optional<std::uint64_t>> found;
    const auto plan = build(must_load(text), command(), facts);
    if (!plan) FAIL(plan.error().to_string());
    for (const SetRlimit& step : steps_of<SetRlimit>(*plan))
      if (step.name == "nice" || step.name == "rtprio") found[step.name] = step.value;
    return found;
  };
  CHECK(set("") == std::map<std::string, std::optional<std::uint64_t>>{{"nice", 0}, {"rtprio", 0}});
  CHECK(set("limits: {rlimits: {rtprio: 7}}\n") ==
        std::map<std::string, std::optional<std::uint64_t>>{{"nice", 0}, {"rtprio", 7}});
  facts.priorities.clear();
  CHECK(set("").empty());
}

TEST_CASE("message queues of its own come with a limit, and without them nothing does") {
  const auto limit_of = [](const Plan& plan) {
    for (const SetRlimit& step : steps_of<SetRlimit>(plan))
      if (step.name == "msgqueue") return step.value;
    return std::optional<std::uint64_t>{};
  };
  const auto rules_of = [](const Plan& plan) {
    return std::ranges::count(steps_of<ApplyLandlock>(plan).front().rules, "/dev/mqueue",
                              &LandlockRule::path);
  };
  const Plan without = planned(must_load(""), 500);
  CHECK(steps_of<MountQueues>(without).empty());
  CHECK_FALSE(limit_of(without));
  CHECK(rules_of(without) == 0);
  const Plan with = planned(must_load("devices: [/dev/mqueue, mqueue]\n"), 500);
  CHECK(steps_of<MountQueues>(with).size() == 1);
  CHECK(steps_of<BindDevice>(with).size() == steps_of<BindDevice>(without).size());
  CHECK(limit_of(with) == 400 << 10);
  CHECK(with.limits.rlimits.at("msgqueue") == 400 << 10);
  CHECK(rules_of(with) == 1);
  CHECK(limit_of(planned(must_load("devices: [mqueue]\nlimits: {rlimits: {msgqueue: 1K}}\n"),
                         500)) == 1024);
}
