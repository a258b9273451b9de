// Runs one plan to its end: launches it, carries its streams, keeps its limits, forwards signals,
// and says how it ended. One poll loop, no threads.
#pragma once

#include <functional>
#include <vector>

#include "os/secret_memory.hpp"
#include "plan/plan.hpp"
#include "supervise/clock.hpp"
#include "supervise/live_sandbox.hpp"
#include "supervise/outcome.hpp"
#include "supervise/run_clock.hpp"

namespace sbx::supervise {

/// Where the word about the run goes; all descriptors stay the caller's.
struct Sinks {
  std::vector<int> results{};  ///< each gets the result object as one line
  bool own_results = false;    ///< nobody else writes there: a line need not be one write
  int events = -1;             ///< the event stream; -1: none
  Nanos started = 0;           ///< CLOCK_MONOTONIC when sbx began, for setup_ms; 0: now
  bool registered = false;     ///< `sbx ps` and the others find the run while it lives
  RunClock* clock = nullptr;   ///< for --timing; none: nobody asked
  /// The values of the plan's secrets, in its order: read at the start, and wiped as soon as the
  /// command has them. With some of them our memory is closed (os::close_memory).
  std::vector<os::SecretMemory>* secrets = nullptr;
  /// Called once the sandbox is made, before the command may start: one of many runs waits for its
  /// turn there. `interrupt`: readable when the run is asked to end; then EINTR is the error.
  std::function<Result<void>(int interrupt)> await_turn{};
  /// Called after that, with what masks secrets from here on, and before the first output.
  std::function<Result<void>(const Redactor&)> begins{};
  /// Called when the command has ended, and init ends all that it has left.
  std::function<void()> payload_ended{};
  /// Called when nothing of the command lives any more; the rest is ours to do.
  std::function<void()> tree_ended{};
};

/// Uses the process's own 0, 1 and 2 and its signals while it runs, and gives them back as they
/// were. Always returns with the sandbox gone; throws only when not even the failure of it
/// can be told: no memory is left, or none for what masks its words.
Outcome run_sandbox(const plan::Plan& plan, const Sinks& sinks);

/// The same with another launcher in place of launch::launch.
Outcome supervise(const plan::Plan& plan, const Sinks& sinks, const Launcher& launcher);

}  // namespace sbx::supervise
