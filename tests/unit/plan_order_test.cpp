// The order of steps is data, and it is checked.
#include <doctest/doctest.h>

#include "plan/order.hpp"
#include "plan_testing.hpp"

using namespace sbx;                 // NOLINT(google-build-using-namespace)
using namespace sbx::plan;           // NOLINT(google-build-using-namespace)
using namespace sbx::plan::testing;  // NOLINT(google-build-using-namespace)

namespace {

/// Of some kinds there are steps in several phases: a rule holds within one.
auto step_of(std::vector<Step>& steps, std::size_t kind, Phase phase) {
  return std::ranges::find_if(
      steps, [=](const Step& step) { return step.action.index() == kind && step.phase == phase; });
}

auto later_step(std::vector<Step>& steps, const OrderRule& rule) {
  return std::ranges::find_if(steps, [&](const Step& step) {
    return step.action.index() == rule.later &&
           step_of(steps, rule.earlier, step.phase) != steps.end();
  });
}

}  // namespace

TEST_CASE("every rule is broken by a plan that swaps its two steps") {
  HostFacts facts = hybrid(host_of_root());
  profile::Profile profile;
  profile.mask = {"/workspace/.env", "/workspace/**/*.pem", "/data/held/.env"};
  profile.workspace.mode = profile::WorkspaceMode::overlay;
  profile.artifacts.collect = {"/workspace/out"};
  profile.time.monotonic = std::chrono::milliseconds(1);
  profile.stdio.tty = profile::TtyMode::always;
  profile.mounts.push_back({profile::CopyMount{".", facts.cwd, "/tmp/copy"}, {}});  // the workspace
  profile.mounts.push_back({profile::BindMount{".", facts.cwd, "/data", true}, {}});
  profile.devices = {"mqueue"};
  profile.secrets = {{.name = "key", .from = "env:KEY"}};
  profile.limits.rlimits["nofile"] = 64;
  profile.capabilities = {"net_raw"};
  profile.network = {.mode = profile::NetworkMode::filtered, .allow = {"example.org:443"}};
  facts.oom_protected = true;
  const auto full = build(profile, command(), facts);
  REQUIRE(full.has_value());
  profile::Profile going_on;
  going_on.degrade = {"userns"};
  HostFacts bare = facts;
  bare.no_namespaces = NoNamespaces{};
  bare.temporary = "/tmp";
  const auto shared = build(going_on, command(), bare);
  REQUIRE(shared.has_value());
  for (const OrderRule& rule : order_rules()) {
    Plan plan = *full;
    if (later_step(plan.steps, rule) == plan.steps.end()) plan = *shared;
    const auto later = later_step(plan.steps, rule);
    REQUIRE_MESSAGE(later != plan.steps.end(), kKindNames[rule.later]);
    const Phase phase = later->phase;
    const auto earlier = step_of(plan.steps, rule.earlier, phase);
    Step moved = std::move(*earlier);
    plan.steps.erase(earlier);
    plan.steps.insert(step_of(plan.steps, rule.later, phase) + 1, std::move(moved));
    const auto checked = check_order(plan);
    REQUIRE_FALSE(checked.has_value());
    CHECK(checked.error().kind == ErrorKind::internal);
  }
}

TEST_CASE("seccomp is the payload's last step but exec") {
  const auto plan = build({}, command(), host_of_user());
  REQUIRE(plan.has_value());
  std::vector<std::string_view> payload;
  for (const Step& step : plan->steps)
    if (step.phase == Phase::payload) payload.push_back(kind_name(step.action));
  REQUIRE(payload.size() > 2);
  CHECK(payload[payload.size() - 1] == "exec_payload");
  CHECK(payload[payload.size() - 2] == "install_seccomp");
}

TEST_CASE("the payload makes its network while init makes the root, and waits for init twice") {
  const auto plan = build({}, command(), host_of_user());
  REQUIRE(plan.has_value());
  std::vector<std::string_view> payload;
  std::vector<std::string_view> init;
  for (const Step& step : plan->steps) {
    if (step.phase == Phase::payload) payload.push_back(kind_name(step.action));
    if (step.phase == Phase::init) init.push_back(kind_name(step.action));
  }
  const auto at = [](const std::vector<std::string_view>& names, std::string_view name) {
    const auto found = std::ranges::find(names, name);
    REQUIRE(found != names.end());
    return found - names.begin();
  };
  CHECK(at(init, "fork_payload") < at(init, "mount_root"));
  CHECK(at(payload, "new_network") < at(payload, "await_root"));
  CHECK(at(payload, "await_root") < at(payload, "await_release"));
  CHECK(at(init, "become_inner_ids") < at(init, "fork_payload"));
  // The payload sees by itself when the old root is gone; init may wait for the kernel there.
  CHECK(init[init.size() - 2] == "release_payload");
  CHECK(init.back() == "drop_old_root");
}
