#include "plan/build.hpp"

#include <algorithm>

#include "plan/builder.hpp"
#include "plan/order.hpp"
#include "plan/shared_host.hpp"
#include "profile/seccomp_request.hpp"

namespace sbx::plan {
namespace {

std::string_view on_deny_name(seccomp::OnDeny mode) {
  switch (mode) {
    case seccomp::OnDeny::fail:
      return "errno";
    case seccomp::OnDeny::kill:
      return "kill";
    case seccomp::OnDeny::log:
      return "log";
  }
  return "";
}

constexpr std::size_t kUsualSteps = 192;  // moving them is a good part of planning

/// The order in which the processes start; within one, the order of the steps stays.
std::vector<Step> by_phase(std::vector<Step> steps) {
  std::vector<Step> ordered;
  ordered.reserve(steps.size());
  for (const Phase phase :
       {Phase::host, Phase::clone, Phase::attend, Phase::init, Phase::payload, Phase::guard})
    for (Step& step : steps)
      if (step.phase == phase) ordered.push_back(std::move(step));
  return ordered;
}

/// With namespaces of its own: every tier but `landlock`.
Result<void> plan_sandbox(Builder& builder) {
  SBX_CHECK(plan_identity(builder));
  plan_ids(builder);
  plan_fork(builder);
  SBX_CHECK(plan_cgroups(builder));
  SBX_CHECK(plan_mounts(builder));
  SBX_CHECK(plan_meanwhile(builder));
  return plan_privileges(builder);
}

}  // namespace

Result<Plan> build(const profile::Profile& profile, const Invocation& invocation,
                   const HostFacts& facts) {
  Plan plan;
  plan.run_id = invocation.run_id;
  plan.profile_name = profile.name;
  plan.profile_sha256 = profile.sha256;
  plan.limits = profile.limits;
  plan.network = profile.network.mode;
  plan.seccomp = profile::seccomp_request(profile.seccomp);
  plan.seccomp.no_cores = !leaves_cores(profile);
  plan.filter = SBX_TRY(seccomp::filter_for(plan.seccomp));
  plan.isolation.seccomp = on_deny_name(plan.seccomp.on_deny);

  if (facts.image && !facts.image->unpacked)
    plan.warnings.emplace_back(
        "the image is not unpacked yet, which the first run does: what it has in it, and what it "
        "says of its command, is not part of this plan");
  Builder builder{profile, invocation, facts, plan};
  builder.as_root = facts.euid == 0;
  plan.steps.reserve(kUsualSteps);
  builder.shares_host = facts.no_namespaces && builder.degrades("userns");
  SBX_CHECK(plan_command(builder));
  SBX_CHECK(plan_egress(builder));
  SBX_CHECK(builder.shares_host ? plan_shared_host(builder) : plan_sandbox(builder));
  if (builder.shares_host)
    plan.seccomp.shared_host = {.shared = true,
                                .online = profile.network.mode == profile::NetworkMode::host,
                                .own_id = builder.as_root};
  if (builder.shares_host || plan.seccomp.no_huge_pages)
    plan.filter = SBX_TRY(seccomp::filter_for(plan.seccomp));
  // Each process does its own steps in order; this is the order in which the processes start
  // theirs.
  plan.steps = by_phase(std::move(plan.steps));
  SBX_CHECK(check_order(plan));
  return plan;
}

}  // namespace sbx::plan
