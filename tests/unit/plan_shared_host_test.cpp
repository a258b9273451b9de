// Tier `landlock`: the plan for a host that gives no namespaces.
#include <doctest/doctest.h>

#include <cerrno>

#include "plan/kinds.hpp"
#include "plan/order.hpp"
#include "plan_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)

namespace {

HostFacts without_namespaces(HostFacts facts) {
  facts.no_namespaces = NoNamespaces{Feature::user_namespace, EPERM};
  facts.temporary = "/tmp";
  return facts;
}

profile::Profile going_on() {
  profile::Profile profile;
  profile.degrade = {"userns"};
  return profile;
}

Plan planned(const profile::Profile& profile, const HostFacts& facts) {
  auto plan = build(profile, command(), facts);
  REQUIRE_MESSAGE(plan.has_value(), (plan ? std::string() : plan.error().to_string()));
  return std::move(*plan);
}

std::string refusal(const profile::Profile& profile, const HostFacts& facts) {
  const auto plan = build(profile, command(), facts);
  REQUIRE_FALSE(plan.has_value());
  CHECK(plan.error().kind == ErrorKind::host);
  CHECK_FALSE(plan.error().hint.empty());
  return plan.error().what + plan.error().hint;
}

const LandlockRule* rule_for(const Plan& plan, const std::string& path) {
  for (const Step& step : plan.steps)
    if (const auto* landlock = std::get_if<ApplyLandlock>(&step.action))
      for (const LandlockRule& rule : landlock->rules)
        if (rule.path == path) return &rule;
  return nullptr;
}

bool has(const std::vector<std::string>& all, const char* one) {
  return std::ranges::find(all, one) != all.end();
}

}  // namespace

TEST_CASE("the tier is taken only by who may and must") {
  const HostFacts bare = without_namespaces(host_of_user());
  CHECK(planned(going_on(), bare).isolation.tier == "landlock");
  CHECK(planned(going_on(), host_of_user()).isolation.tier == "full");
  // Never without the word: the plan is the whole one, and fails at its clone.
  CHECK(steps_of<CloneNamespaces>(planned({}, bare)).at(0).flags != 0);
}

TEST_CASE("nothing of a plan without namespaces needs one") {
  for (const HostFacts& facts : {host_of_user(), host_of_root(), hybrid(host_of_root())}) {
    const Plan plan = planned(going_on(), without_namespaces(facts));
    CHECK(steps_of<CloneNamespaces>(plan).at(0).flags == 0);
    for (const Step& step : plan.steps) {
      const std::string_view kind = kind_name(step.action);
      CHECK_MESSAGE((kind.find("mount") == std::string_view::npos && kind != "pivot_root" &&
                     kind != "write_id_maps" && kind != "new_network" && kind != "set_hostname" &&
                     kind != "unshare_cgroup" && kind != "become_inner_ids"),
                    kind);
    }
    CHECK(check_order(plan).has_value());
    for (const auto& dropped : steps_of<DropCapabilities>(plan)) CHECK_FALSE(dropped.locked);
  }
}

TEST_CASE("every control is enforced or said to be missing") {
  const Isolation isolation = planned(going_on(), without_namespaces(host_of_user())).isolation;
  CHECK(isolation.namespaces.empty());
  for (const std::string& control : isolation.required)
    CHECK(has(isolation.enforced, control.c_str()) != has(isolation.degraded, control.c_str()));
  for (const char* control : {"userns", "namespaces", "hidden-files", "hidden-processes"})
    CHECK(has(isolation.degraded, control));
  for (const char* control : {"landlock", "seccomp", "no_new_privs", "capabilities", "memory"})
    CHECK(has(isolation.enforced, control));
}

TEST_CASE("only what the profile names may be opened, where it is on the host") {
  profile::Profile profile = going_on();
  const Plan plan = planned(profile, without_namespaces(host_of_user()));
  REQUIRE(rule_for(plan, "/home/user/project") != nullptr);
  CHECK_FALSE(rule_for(plan, "/home/user/project")->writable);
  CHECK(rule_for(plan, "/") == nullptr);
  CHECK(rule_for(plan, "/tmp") == nullptr);
  CHECK(rule_for(plan, "/proc") == nullptr);
  CHECK(rule_for(plan, "/bin") == nullptr);  // a link
  CHECK(rule_for(plan, "/usr") != nullptr);
  CHECK(rule_for(plan, "/dev/null")->device);
  CHECK(rule_for(plan, "/tmp/.sbx-run-test")->writable);
  CHECK(steps_of<MakeScratch>(plan).at(0).path == "/tmp/.sbx-run-test");
  CHECK(has(plan.env, "HOME=/tmp/.sbx-run-test"));
  CHECK(has(plan.env, "TMPDIR=/tmp/.sbx-run-test"));
  CHECK(steps_of<ChangeDir>(plan).at(0).path == "/home/user/project");
  profile.workdir = "/workspace/src";
  CHECK(steps_of<ChangeDir>(planned(profile, without_namespaces(host_of_user()))).at(0).path ==
        "/home/user/project/src");
  profile.workspace.mode = profile::WorkspaceMode::rw;
  CHECK(rule_for(planned(profile, without_namespaces(host_of_user())), "/home/user/project")
            ->writable);
}

TEST_CASE("without a network namespace the filter and Landlock keep from the network") {
  profile::Profile profile = going_on();
  const Plan offline = planned(profile, without_namespaces(host_of_user()));
  CHECK(steps_of<ApplyLandlock>(offline).at(0).no_tcp);
  CHECK(offline.seccomp.shared_host.shared);
  CHECK_FALSE(offline.seccomp.shared_host.online);
  profile.network.mode = profile::NetworkMode::host;
  const Plan online = planned(profile, without_namespaces(host_of_user()));
  CHECK_FALSE(steps_of<ApplyLandlock>(online).at(0).no_tcp);
  CHECK(online.seccomp.shared_host.online);
}

TEST_CASE("a list of what may be reached is never left to the filter alone") {
  profile::Profile profile = going_on();
  profile.network.mode = profile::NetworkMode::filtered;
  const auto plan = build(profile, command(), without_namespaces(host_of_user()));
  REQUIRE_FALSE(plan.has_value());
  CHECK(plan.error().what.contains("has no network (the default)"));
}

TEST_CASE("what only namespaces give is refused by name") {
  const HostFacts bare = without_namespaces(host_of_user());
  profile::Profile profile = going_on();
  profile.mask = {"/workspace/.env"};
  profile.root.kind = profile::RootKind::dir;
  const std::string said = refusal(profile, bare);
  CHECK(said.find("mask (") != std::string::npos);
  CHECK(said.find("root (") != std::string::npos);
  profile = going_on();
  profile.landlock = profile::LandlockMode::off;
  CHECK(refusal(profile, bare).find("landlock (") != std::string::npos);
  profile = going_on();
  profile.devices = {"kvm", "mqueue"};  // those of the host's
  CHECK(refusal(profile, bare).contains("tier landlock (degrade: userns) has no devices[1] ("));
}

TEST_CASE("an older Landlock, or none, is refused") {
  for (const int abi : {0, 5}) {
    HostFacts facts = without_namespaces(host_of_user());
    facts.landlock_abi = abi;
    CHECK(refusal(going_on(), facts).find("ABI 6") != std::string::npos);
  }
}

TEST_CASE("started by root the command is a user of its own, who writes nobody's files unasked") {
  profile::Profile profile = going_on();
  const HostFacts bare = without_namespaces(host_of_root());
  const Plan plan = planned(profile, bare);
  CHECK(steps_of<ReserveHostId>(plan).size() == 1);
  CHECK(steps_of<BecomeReservedId>(plan).size() == 1);
  CHECK(plan.seccomp.shared_host.own_id);
  profile.workspace.mode = profile::WorkspaceMode::rw;
  CHECK(refusal(profile, bare).find("--degrade idmap") != std::string::npos);
  profile.degrade.emplace_back("idmap");
  const Plan writes = planned(profile, bare);
  CHECK(rule_for(writes, "/srv/project")->writable);
  CHECK(has(writes.isolation.degraded, "idmap"));
  // Nobody writes: nothing is missing, though the profile would accept it.
  profile.workspace.mode = profile::WorkspaceMode::ro;
  CHECK_FALSE(has(planned(profile, bare).isolation.degraded, "idmap"));
}

TEST_CASE("an rlimit counts processes only for who has a user id of its own") {
  profile::Profile profile = going_on();
  profile.degrade.emplace_back("cgroup");
  HostFacts user = without_namespaces(host_of_user());
  HostFacts root = without_namespaces(host_of_root());
  user.cgroups.clear();
  root.cgroups.clear();
  user.nproc_counts_per_namespace = root.nproc_counts_per_namespace = true;
  CHECK_FALSE(has(planned(profile, user).isolation.approximate, "pids"));
  CHECK(has(planned(profile, root).isolation.approximate, "pids"));
}
