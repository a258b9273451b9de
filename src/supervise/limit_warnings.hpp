// Limits that a run has reached, and which are not why it ended: warnings of its result. Pure.
#pragma once

#include <string>

#include "plan/plan.hpp"
#include "supervise/outcome.hpp"

namespace sbx::supervise {

/// "it used more memory than limits.memory_high (400M)", for the event and for the warning.
std::string memory_high_text(const plan::Plan& plan);

/// Adds to `outcome.warnings`; its status is decided already.
void add_limit_warnings(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome);

}  // namespace sbx::supervise
