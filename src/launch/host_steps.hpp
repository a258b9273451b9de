// The supervisor's own steps: those before clone, and those it does while init sets up.
#pragma once

#include "base/error.hpp"
#include "launch/context.hpp"
#include "launch/launcher.hpp"
#include "launch/state.hpp"

namespace sbx::launch {

/// Does the steps of `phase` (host or attend), and what `meanwhile` has for between them. The error
/// of a step that failed says whose it was.
Result<void> run_host_phase(const plan::Plan& plan, plan::Phase phase, Sandbox::State& state,
                            const Meanwhile* meanwhile = nullptr);

}  // namespace sbx::launch
