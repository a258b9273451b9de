// From a failed step to an error that helps: which step, which errno, what to try next.
#pragma once

#include <string>

#include "base/error.hpp"
#include "plan/plan.hpp"

namespace sbx::plan {

/// The Error for step `index` of `plan` that failed with `error` (0: unknown), at the line or flag
/// that asked for the step. `detail` (may be empty) names what exactly refused, e.g. a cgroup file.
Error step_error(const Plan& plan, std::size_t index, int error, const std::string& detail);

/// The next thing to try when a step of this kind fails so; empty when nothing sensible is known.
std::string hint_for(const Action& action, int error);

}  // namespace sbx::plan
