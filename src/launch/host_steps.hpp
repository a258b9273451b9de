// The supervisor's own steps: those before clone, and those it does while init sets up.
#pragma once

#include "base/error.hpp"
#include "launch/context.hpp"
#include "launch/launcher.hpp"
#include "launch/state.hpp"

namespace sbx::launch {

/// What a failed step of the supervisor leaves for the report.
struct StepFailure {
  std::size_t step = 0;
  int error = 0;
  std::string detail{};  ///< e.g. the cgroup file that refused
};

/// Does the steps of `phase` (host or attend), and what `meanwhile` has for between them.
std::expected<void, StepFailure> run_host_phase(const plan::Plan& plan, plan::Phase phase,
                                                Sandbox::State& state,
                                                const Meanwhile* meanwhile = nullptr);

}  // namespace sbx::launch
