// A live run as JSON: what `sbx ps --json` and `sbx stats --json` print. Pure.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "plan/plan.hpp"
#include "supervise/clock.hpp"
#include "supervise/outcome.hpp"

namespace sbx::supervise {

struct LiveRun {
  int pid = 0;  ///< of init, on the host
  bool paused = false;
  std::chrono::system_clock::time_point started_at{};
  Nanos elapsed = 0;
  Usage usage{};
  Redactor redactor{};
};

/// One line without its end. A figure that was not measured is null, never 0.
std::string to_json(const LiveRun& live, const plan::Plan& plan);

/// What it uses, in the same form: cpu_ms, memory, pids, io.
std::string to_json(const Usage& usage, const plan::Plan& plan);

/// Its schema.
std::string live_schema();

}  // namespace sbx::supervise
