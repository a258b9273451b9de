#include "supervise/run_clock.hpp"

#include <cerrno>

namespace sbx::supervise {

RunClock::RunClock(Nanos started) : readings_{.started = started} {
  enter(Stage::command_line, started);
}

void RunClock::enter(Stage stage, Nanos at) { readings_.stages.push_back({stage, at}); }

Result<launch::StepClock> RunClock::steps(const plan::Plan& plan) {
  if (!steps_.map(plan.steps.size()))
    return std::unexpected(Error{.kind = ErrorKind::setup,
                                 .what = "cannot map memory for the times of the steps",
                                 .sys_errno = errno});
  return steps_.clock();
}

Timing RunClock::timing(const plan::Plan& plan) const {
  Readings readings = readings_;
  readings.steps = steps_.read();
  readings.now = now_ns();
  return timing_of(plan, readings);
}

}  // namespace sbx::supervise
