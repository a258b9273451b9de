// What is said of limits that a run has reached: as its reason, and as warnings of its result where
// they are not why it ended. Pure.
#pragma once

#include <string>

#include "plan/plan.hpp"
#include "supervise/outcome.hpp"

namespace sbx::supervise {

/// Did the kernel kill for the limit of the run's own group? Where nobody can tell, it did.
bool is_own_oom(const Evidence& evidence);
/// "the memory limit was reached", or whose else it was.
std::string oom_cause(const Evidence& evidence);

/// "it used more memory than limits.memory_high (400M)", for the event and for the warning.
std::string memory_high_text(const plan::Plan& plan);

/// Adds to `outcome.warnings`; its status is decided already.
void add_limit_warnings(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome);

}  // namespace sbx::supervise
