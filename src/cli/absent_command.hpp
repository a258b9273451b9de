// A command that was not found inside, or is no program: what may be in its way, by a look at the
// caller's host once the run has ended, and what to try.
#pragma once

#include <string>

#include "plan/plan.hpp"

namespace sbx::cli {

/// A sentence or two on one line; empty: nothing is known.
std::string absent_command_hint(const plan::Plan& plan);

/// Likewise of one that is there, and that the kernel has refused to execute.
std::string refused_command_hint(const plan::Plan& plan);

}  // namespace sbx::cli
