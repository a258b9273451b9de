// Limits become cgroup settings, or an error that says what to do.
#include <doctest/doctest.h>

#include "plan_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)

namespace {

std::string settings(const MakeCgroup& group) {
  std::string text;
  for (const CgroupSetting& setting : group.settings)
    text += setting.file + "=" + setting.value + ";";
  return text;
}

}  // namespace

TEST_CASE("on v2 one group holds all limits, made before the clone") {
  profile::Profile profile;
  profile.limits.cpus = 1.5;
  profile.limits.cpuset = "0-1";
  const auto plan = build(profile, command(), host_of_user());
  REQUIRE(plan.has_value());
  const auto groups = steps_of<MakeCgroup>(*plan);
  REQUIRE(groups.size() == 1);
  CHECK(
      settings(groups[0]) ==
      "memory.max=536870912;memory.swap.max=0;pids.max=129;cpu.max=150000 100000;cpuset.cpus=0-1;");
  CHECK(plan->isolation.cgroup == "v2");
  CHECK(plan->isolation.tier == "full");
  for (const Step& step : plan->steps)
    if (std::holds_alternative<MakeCgroup>(step.action)) CHECK(step.phase == Phase::host);
}

TEST_CASE("on v1 each controller has its group, made while init waits") {
  profile::Profile profile;
  profile.limits.cpus = 0.5;
  profile.limits.swap = std::uint64_t{1} << 20U;
  const auto plan = build(profile, command(), hybrid(host_of_root()));
  REQUIRE(plan.has_value());
  const auto groups = steps_of<MakeCgroup>(*plan);
  REQUIRE(groups.size() == 3);
  CHECK(settings(groups[0]) ==
        "memory.limit_in_bytes=536870912;memory.memsw.limit_in_bytes=537919488;");
  CHECK(settings(groups[1]) == "pids.max=129;");
  CHECK(settings(groups[2]) == "cpu.cfs_period_us=100000;cpu.cfs_quota_us=50000;");
  CHECK(plan->isolation.tier == "hybrid");
  CHECK(steps_of<UnshareCgroup>(*plan).size() == 1);
}

TEST_CASE("a controller that is not writable ends the run, and the message says what to do") {
  HostFacts facts = host_of_user();
  for (CgroupController& controller : facts.controllers) controller.writable = false;
  const auto refused = build({}, command(), facts);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == ErrorKind::host);
  CHECK(refused.error().what.find("limits.memory") != std::string::npos);
  CHECK(refused.error().hint.find("--degrade cgroup") != std::string::npos);
}

TEST_CASE("degrade: [cgroup] goes on without, and says so") {
  HostFacts facts = host_of_user();
  facts.controllers.clear();
  profile::Profile profile;
  profile.degrade = {"cgroup"};
  const auto plan = build(profile, command(), facts);
  REQUIRE(plan.has_value());
  CHECK(steps_of<MakeCgroup>(*plan).empty());
  CHECK(steps_of<JoinCgroups>(*plan).empty());
  CHECK(plan->isolation.degraded == std::vector<std::string>{"memory", "pids"});
  CHECK(plan->isolation.tier == "rlimit");
}

TEST_CASE("no limit wants no cgroup") {
  HostFacts facts = host_of_user();
  facts.controllers.clear();
  profile::Profile profile;
  profile.limits.memory.reset();
  profile.limits.pids.reset();
  const auto plan = build(profile, command(), facts);
  REQUIRE(plan.has_value());
  CHECK(plan->isolation.cgroup == "none");
  CHECK(plan->isolation.degraded.empty());
}

TEST_CASE("swap without accounting is refused where there is swap") {
  HostFacts facts = host_of_user();
  facts.swap_accounting = false;
  CHECK(build({}, command(), facts).has_value());
  facts.has_swap = true;
  CHECK_FALSE(build({}, command(), facts).has_value());
}

TEST_CASE("I/O limits name the device behind each writable folder") {
  profile::Profile profile;
  profile.workspace.mode = profile::WorkspaceMode::rw;
  profile.limits.io.write_bps = 50U << 20U;
  profile.limits.io.read_iops = 100;
  const auto v2 = build(profile, command(), host_of_user());
  REQUIRE(v2.has_value());
  CHECK(settings(steps_of<MakeCgroup>(*v2).at(0)).ends_with("io.max=8:0 wbps=52428800 riops=100;"));
  const auto v1 = build(profile, command(), hybrid(host_of_root()));
  REQUIRE(v1.has_value());
  CHECK(settings(steps_of<MakeCgroup>(*v1).back()) ==
        "blkio.throttle.write_bps_device=8:0 52428800;blkio.throttle.read_iops_device=8:0 100;");
}
