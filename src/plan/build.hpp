// Profile + invocation + host facts -> plan. Pure.
#pragma once

#include "base/error.hpp"
#include "base/host_facts.hpp"
#include "plan/invocation.hpp"
#include "plan/plan.hpp"
#include "profile/profile.hpp"

namespace sbx::plan {

/// Everything that will be done, in order. Errors: no command, a source that is missing, a control
/// that this host cannot enforce and that the profile does not let degrade.
Result<Plan> build(const profile::Profile& profile, const Invocation& invocation,
                   const HostFacts& facts);

}  // namespace sbx::plan
