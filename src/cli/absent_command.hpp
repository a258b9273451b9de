// A command that was not found inside: what may be in its way, by a look at the caller's host once
// the run has ended, and what to try.
#pragma once

#include <string>

#include "plan/plan.hpp"

namespace sbx::cli {

/// A sentence or two on one line; empty: nothing is known.
std::string absent_command_hint(const plan::Plan& plan);

}  // namespace sbx::cli
