// Why a sandbox did not come to be, told from what init and payload have left in the shared page.
#pragma once

#include "base/error.hpp"
#include "launch/state.hpp"
#include "plan/plan.hpp"

namespace sbx::launch {

/// When they did not get as far as exec: the step that failed, or at which one was killed. Waits a
/// moment for init's end where that decides which.
Error setup_failure(const plan::Plan& plan, Sandbox::State& state);

/// When the supervisor's own part failed with `error`: that, unless init had failed already.
Error attend_failure(const plan::Plan& plan, Sandbox::State& state, Error error);

}  // namespace sbx::launch
