// The clock of one run, for `sbx run --timing`: told what the supervisor is at, and given to the
// launch for the plan's steps. There is none when nobody asked.
#pragma once

#include "base/error.hpp"
#include "launch/step_times.hpp"
#include "supervise/timing.hpp"

namespace sbx::supervise {

class RunClock {
 public:
  /// `started`: when sbx did, and with it Stage::command_line.
  explicit RunClock(Nanos started);

  /// Begins a stage and ends the one before.
  void enter(Stage stage, Nanos at);
  void exec_seen(Nanos at) { readings_.exec = at; }
  /// For the launch of `plan`; valid as long as we are.
  Result<launch::StepClock> steps(const plan::Plan& plan);
  /// Up to now.
  [[nodiscard]] Timing timing(const plan::Plan& plan) const;

 private:
  Readings readings_;
  launch::StepTimes steps_;
};

/// For whoever has a clock only when it was asked for.
inline void enter(RunClock* clock, Stage stage) {
  if (clock != nullptr) clock->enter(stage, now_ns());
}

}  // namespace sbx::supervise
