// Limits become cgroup settings, or an error that says what to do.
#include <doctest/doctest.h>

#include "plan_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)

namespace {

/// The limits that are enforced come before all other controls.
std::vector<std::string> first_enforced(const Plan& plan, std::size_t count) {
  const auto& all = plan.isolation.enforced;
  REQUIRE(all.size() > count);
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
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
  REQUIRE(groups.size() == 4);
  CHECK(groups[0].version == 2);  // for killing and freezing
  CHECK(settings(groups[0]).empty());
  CHECK(settings(groups[1]) ==
        "memory.limit_in_bytes=536870912;memory.memsw.limit_in_bytes=537919488;memory.kmem.tcp."
        "limit_in_bytes=134217728;");
  CHECK(settings(groups[2]) == "pids.max=128;");
  CHECK(settings(groups[3]) == "cpu.cfs_period_us=100000;cpu.cfs_quota_us=50000;");
  CHECK(plan->isolation.tier == "hybrid");
  CHECK(steps_of<UnshareCgroup>(*plan).size() == 1);
}

TEST_CASE("a controller that is not writable ends the run, and the message says what to do") {
  HostFacts facts = host_of_user();
  facts.cgroups.front().problem = "it is not ours to write";
  facts.cgroups.front().fix = "ask for one";
  const auto refused = build({}, command(), facts);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == ErrorKind::host);
  CHECK(refused.error().what.find("limits.memory") != std::string::npos);
  CHECK(refused.error().what.contains("/sys/fs/cgroup/user.slice/app: it is not ours to write"));
  CHECK(refused.error().hint == "ask for one, or go on without these limits: --degrade cgroup");
}

TEST_CASE("of several v2 groups the first of those that serve most is taken, the rest in reserve") {
  HostFacts facts = host_of_user();
  const CgroupHome good = facts.cgroups.front();
  CgroupHome poor = good;
  poor.group = "/poor";
  poor.controllers = {"memory"};
  CgroupHome refused = good;
  refused.group = "/refused";
  refused.problem = "no";
  CgroupHome spare = good;
  spare.way = CgroupWay::scope;
  facts.cgroups = {poor, refused, good, spare};
  const auto plan = build({}, command(), facts);
  REQUIRE(plan.has_value());
  const auto groups = steps_of<MakeCgroup>(*plan);
  REQUIRE(groups.size() == 1);
  REQUIRE(groups[0].homes.size() == 2);
  CHECK(groups[0].homes[0].group == good.group);
  CHECK(groups[0].homes[1].way == CgroupWay::scope);
  CHECK(groups[0].controllers == std::vector<std::string>{"memory", "pids"});
}

TEST_CASE("huge pages are forbidden with a memory limit, by the filter where no group does it") {
  HostFacts facts = host_of_user();
  facts.huge_page_sizes = {"2MB"};
  auto plan = build({}, command(), facts);
  REQUIRE(plan.has_value());  // none to be had, and no controller: nothing to do
  CHECK_FALSE(settings(steps_of<MakeCgroup>(*plan).at(0)).contains("hugetlb"));
  CHECK_FALSE(plan->seccomp.no_huge_pages);
  facts.has_huge_pages = true;
  plan = build({}, command(), facts);
  REQUIRE(plan.has_value());
  CHECK(plan->seccomp.no_huge_pages);
  CHECK(describe_text(*plan).contains("seccomp:   allow @default; no huge pages; denied calls"));
  CHECK(describe_json(*plan).contains("\"args\":[],\"huge_pages\":false,"));
  CHECK(plan->isolation.enforced.at(2) == "hugetlb");
  facts.cgroups.front().controllers.emplace_back("hugetlb");
  plan = build({}, command(), facts);
  REQUIRE(plan.has_value());
  CHECK(settings(steps_of<MakeCgroup>(*plan).at(0)).ends_with("hugetlb.2MB.max=0;"));
  CHECK_FALSE(plan->seccomp.no_huge_pages);
  facts.huge_page_sizes = {};  // there are some, and no file of the group's could be named
  plan = build({}, command(), facts);
  REQUIRE(plan.has_value());
  CHECK_FALSE(settings(steps_of<MakeCgroup>(*plan).at(0)).contains("hugetlb"));
  CHECK(plan->seccomp.no_huge_pages);
}

TEST_CASE("what the kernel says of a missing controller comes before what groups lack") {
  HostFacts facts = host_of_user();
  facts.cgroups.front().controllers = {"pids"};
  facts.controller_problems["memory"] = "memory was switched off";
  const auto refused = build({}, command(), facts);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().what.ends_with("(memory was switched off)"));
}

TEST_CASE("a user is told how to get groups of v1 hierarchies, all that are needed at once") {
  HostFacts facts = hybrid(host_of_user());
  for (CgroupHome& home : facts.cgroups) {
    home.problem = "it is not ours to write";
    if (home.version == 1 && home.controllers.front() != "cpuset") home.fix = "a command";
  }
  const std::string unified = "systemd.unified_cgroup_hierarchy=1";
  profile::Profile profile;
  auto refused = build(profile, command(), facts);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().hint.contains(
      own_v1_groups_command({"/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids"})));
  CHECK(refused.error().hint.contains(unified));
  profile.limits.memory_high = 1U << 20U;  // groups of v1 would not help
  refused = build(profile, command(), facts);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().hint.starts_with("boot with " + unified));
  profile.limits.memory_high.reset();
  profile.limits.cpuset = "0";
  refused = build(profile, command(), facts);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().hint.starts_with("start sbx as root, or boot with "));
  CHECK(refused.error().hint.contains(unified));
}

TEST_CASE("a group of v2 that is ours and holds no controller is said to") {
  HostFacts facts = hybrid(host_of_user());
  profile::Profile profile;
  profile.limits.memory_high = 1U << 20U;
  const auto refused = build(profile, command(), facts);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().what.ends_with(" has no controller)"));
}

TEST_CASE("a limit that wants no controller is refused without naming one") {
  HostFacts facts = host_of_user();
  facts.cgroups.clear();
  profile::Profile profile;
  profile.limits.memory.reset();
  profile.limits.pids.reset();
  profile.limits.cpu = std::chrono::seconds(3);
  const auto refused = build(profile, command(), facts);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().what.contains(": no group can be made here"));
}

TEST_CASE("degrade: [cgroup] goes on without, and says so") {
  HostFacts facts = host_of_user();
  facts.cgroups.clear();
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
  facts.cgroups.clear();
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

TEST_CASE("a weight is a weight on v2 and shares on v1, never less than the kernel takes") {
  profile::Profile profile;
  profile.limits.cpu_weight = 1000;
  const auto v2 = build(profile, command(), host_of_user());
  REQUIRE(v2.has_value());
  CHECK(settings(steps_of<MakeCgroup>(*v2).at(0)).ends_with("cpu.weight=1000;"));
  CHECK(first_enforced(*v2, 3) == std::vector<std::string>{"memory", "pids", "cpu-weight"});
  for (const auto& [weight, shares] :
       {std::pair{1000U, "cpu.shares=10240;"}, std::pair{100U, "cpu.shares=1024;"},
        std::pair{10000U, "cpu.shares=102400;"}, std::pair{1U, "cpu.shares=10;"}}) {
    profile.limits.cpu_weight = weight;
    const auto v1 = build(profile, command(), hybrid(host_of_root()));
    REQUIRE(v1.has_value());
    CHECK(settings(steps_of<MakeCgroup>(*v1).back()) == shares);
  }
}

TEST_CASE("the soft memory limit is a setting of v2, and watched there") {
  profile::Profile profile;
  profile.limits.memory_high = std::uint64_t{400} << 20U;
  const auto plan = build(profile, command(), host_of_user());
  REQUIRE(plan.has_value());
  CHECK(settings(steps_of<MakeCgroup>(*plan).at(0)) ==
        "memory.max=536870912;memory.swap.max=0;memory.high=419430400;pids.max=129;");
  CHECK(plan->supervision.tell_memory_high);
  CHECK(first_enforced(*plan, 3) == std::vector<std::string>{"memory", "memory-high", "pids"});
  CHECK_FALSE(build({}, command(), host_of_user())->supervision.tell_memory_high);
  profile.limits.memory.reset();  // by itself
  const auto alone = build(profile, command(), host_of_user());
  REQUIRE(alone.has_value());
  CHECK(settings(steps_of<MakeCgroup>(*alone).at(0)).starts_with("memory.high=419430400;"));
}

TEST_CASE("v1 has no soft memory limit: refused with the way to v2, or degraded") {
  profile::Profile profile;
  profile.limits.memory_high = std::uint64_t{400} << 20U;
  profile.origins["limits.memory_high"] = {"p.yaml", 2, 23};
  const auto refused = build(profile, command(), hybrid(host_of_root()));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().what.contains("limits.memory_high (p.yaml:2:23)"));
  CHECK(refused.error().what.contains("no group with the controller memory of cgroup v2"));
  CHECK_FALSE(refused.error().what.contains("limits.pids"));
  CHECK(refused.error().hint.contains("systemd.unified_cgroup_hierarchy=1"));
  CHECK(refused.error().hint.contains("--degrade cgroup"));
  profile.degrade = {"cgroup"};
  const auto plan = build(profile, command(), hybrid(host_of_root()));
  REQUIRE(plan.has_value());
  CHECK(plan->isolation.degraded == std::vector<std::string>{"memory-high"});
  CHECK(plan->isolation.approximate.empty());
  CHECK(first_enforced(*plan, 2) == std::vector<std::string>{"memory", "pids"});
  CHECK_FALSE(plan->supervision.tell_memory_high);
  CHECK_FALSE(plan->supervision.sampled_memory);
}

TEST_CASE("the end of the whole tree is the kernel's work on v2, and the supervisor's on v1") {
  profile::Profile profile;
  profile.limits.oom_kill = profile::OomKill::tree;
  const auto v2 = build(profile, command(), host_of_user());
  REQUIRE(v2.has_value());
  CHECK(settings(steps_of<MakeCgroup>(*v2).at(0)).contains("memory.oom.group=1;"));
  CHECK_FALSE(v2->supervision.end_tree_on_oom);
  const auto v1 = build(profile, command(), hybrid(host_of_root()));
  REQUIRE(v1.has_value());
  CHECK_FALSE(settings(steps_of<MakeCgroup>(*v1).at(1)).contains("oom"));
  CHECK(v1->supervision.end_tree_on_oom);
  CHECK(first_enforced(*v1, 3) == std::vector<std::string>{"memory", "oom-kill", "pids"});
  CHECK(v1->isolation.degraded.empty());
  // Without a group the sampled limit ends the tree, whatever the key says.
  HostFacts bare = host_of_user();
  bare.cgroups.clear();
  profile.degrade = {"cgroup"};
  const auto sampled = build(profile, command(), bare);
  REQUIRE(sampled.has_value());
  CHECK(sampled->isolation.approximate == std::vector<std::string>{"memory", "oom-kill"});
  CHECK_FALSE(sampled->supervision.end_tree_on_oom);
  CHECK(sampled->supervision.sampled_memory);
}
