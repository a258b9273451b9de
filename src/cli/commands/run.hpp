// `sbx run`: one command in one fresh sandbox, and the report of how it went.
#pragma once

#include <functional>

#include "cli/arguments.hpp"
#include "plan/plan.hpp"
#include "supervise/clock.hpp"
#include "supervise/outcome.hpp"

namespace sbx::cli {

/// Changes a finished plan before it is executed. Production passes none; tests remove a defence or
/// insert a failing step with it.
using EditPlan = std::function<void(plan::Plan&)>;

/// A run that has ended, however that was.
struct Ran {
  const profile::Profile& profile;
  const plan::Plan& plan;
  const supervise::Outcome& outcome;
};
/// What else is to be done then; returns what sbx exits with.
using AfterRun = std::function<int(const Ran&)>;

/// `started`: when sbx did. Returns the exit code (contract: 0-255, 125 when the payload never
/// ran).
int run_command(const Arguments& arguments, supervise::Nanos started,
                const EditPlan& edit_plan = {}, const AfterRun& after = {});

/// A run that ended before there was a plan: the problems on standard error, and a result that says
/// so wherever `reporting` asks for one. Returns 125.
int refuse_run(const Reporting& reporting, const std::string& profile_name,
               const std::vector<std::string>& command, const profile::Problems& problems,
               supervise::Nanos started);

}  // namespace sbx::cli
