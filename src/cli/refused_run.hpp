// The outcome of a run that never was: it is told like that of any other.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "profile/load.hpp"
#include "supervise/supervisor.hpp"

namespace sbx::cli {

/// The plan of a run that never came to have one; for its result.
plan::Plan empty_plan(std::string run_id, std::string profile, std::vector<std::string> command);

/// The same, with the command's words as far as they can be told before any secret is read: none
/// that might have the value of one in them, and with the shapes of secrets masked.
void tell_words(const profile::Profile& profile, std::vector<std::string> command,
                plan::Plan& plan);

/// Tells `sinks` of a run that failed in its set-up, because of `problems` (at least one).
supervise::Outcome refused_run(const plan::Plan& plan, const profile::Problems& problems,
                               const supervise::Sinks& sinks);

}  // namespace sbx::cli
