// Where the time of a run went (`sbx run --timing`): what the supervisor was at, and every step of
// the plan, in the order in which they began. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/step_times.hpp"
#include "plan/plan.hpp"
#include "supervise/clock.hpp"
#include "supervise/stage.hpp"

namespace sbx::supervise {

/// What the clocks showed; every time is CLOCK_MONOTONIC.
struct Readings {
  struct Entered {
    Stage stage;
    Nanos at;
  };
  Nanos started = 0;                      ///< of sbx
  std::optional<Nanos> exec{};            ///< when the supervisor saw the payload's exec
  std::vector<Entered> stages{};          ///< each lasts until the next begins
  std::vector<launch::StepSpan> steps{};  ///< of the plan, then of the command; empty: no launch
  Nanos now = 0;
};

struct TimedRow {
  std::string_view process;           ///< "supervisor", "init", "payload"
  std::optional<std::size_t> step{};  ///< its number in the plan, from 1; none: not of the plan
  std::string_view kind;
  std::string text{};
  Nanos start = 0;              ///< since the start of sbx
  std::optional<Nanos> took{};  ///< none: it did not come to its end
  int error = 0;                ///< the errno that it failed with
  bool waits = false;           ///< for another process, whose work it is
};

struct Timing {
  Nanos total = 0;                 ///< since the start of sbx
  std::optional<Nanos> exec{};     ///< likewise; none: there was no exec
  std::optional<Nanos> command{};  ///< from there to the command's end
  std::vector<TimedRow> rows{};    ///< by start
};

/// The stage that is under way is left out.
Timing timing_of(const plan::Plan& plan, const Readings& readings);

}  // namespace sbx::supervise
