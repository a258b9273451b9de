// What a limit is about that not every host can bound: swap, sockets and disks.
#include <doctest/doctest.h>

#include <algorithm>

#include "plan_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)

TEST_CASE("swap without a limit of memory is nothing that cgroup v1 can bound") {
  profile::Profile profile;
  profile.limits.memory.reset();
  profile.limits.swap = 5U << 20U;
  HostFacts facts = hybrid(host_of_root());
  profile.origins["limits.swap"] = {"<default>", 1, 1};
  const auto untold = build(profile, command(), facts);
  REQUIRE(untold.has_value());
  CHECK(std::ranges::find(untold->isolation.enforced, "swap") == untold->isolation.enforced.end());
  // Its group is there all the same: it counts, and tells of the kernel's killing.
  CHECK(steps_of<MakeCgroup>(*untold).at(1).controllers == std::vector<std::string>{"memory"});
  profile.origins["limits.swap"] = {"p.yaml", 1, 1};
  const auto refused = build(profile, command(), facts);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().what.contains("limits.swap (p.yaml:1:1)"));
  profile.degrade = {"cgroup"};
  const auto less = build(profile, command(), facts);
  REQUIRE(less.has_value());
  CHECK(less->isolation.degraded == std::vector<std::string>{"swap"});
}

TEST_CASE("what sockets buffer has a limit of its own on cgroup v1, or memory is kept loosely") {
  HostFacts facts = hybrid(host_of_root());
  facts.socket_accounting = true;
  const auto plan = build({}, command(), facts);
  REQUIRE(plan.has_value());
  CHECK(settings(steps_of<MakeCgroup>(*plan).at(1))
            .ends_with("memory.kmem.tcp.limit_in_bytes=134217728;"));
  CHECK(plan->isolation.approximate.empty());
  facts.socket_accounting = false;
  const auto loose = build({}, command(), facts);
  REQUIRE(loose.has_value());
  CHECK(loose->isolation.approximate == std::vector<std::string>{"memory"});
}

TEST_CASE("an I/O limit is about all disks that are read from, and those have to be known") {
  profile::Profile profile;
  profile.limits.io.read_bps = 1U << 20U;
  HostFacts facts = host_of_user();
  facts.program_disks = {{.exists = true, .path = "/usr", .device = "8:16"},
                         {.exists = true, .path = "/opt/tool", .device = "8:32"}};
  const auto plan = build(profile, command(), facts);
  REQUIRE(plan.has_value());
  CHECK(settings(steps_of<MakeCgroup>(*plan).at(0))
            .ends_with("io.max=8:0 rbps=1048576;io.max=8:16 rbps=1048576;"
                       "io.max=8:32 rbps=1048576;"));
  facts.program_disks.at(0).device.clear();
  const auto refused = build(profile, command(), facts);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().what.contains("/usr is on is not known"));
  profile.degrade = {"cgroup"};
  const auto less = build(profile, command(), facts);
  REQUIRE(less.has_value());
  CHECK(less->isolation.degraded == std::vector<std::string>{"io"});
  facts.program_disks.at(0).in_memory = true;
  CHECK(build(profile, command(), facts)->isolation.degraded.empty());
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
