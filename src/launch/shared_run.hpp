// The supervisor's part of a run that shares the host's namespaces (tier `landlock`).
#pragma once

#include "launch/state.hpp"
#include "plan/plan.hpp"

namespace sbx::launch {

/// Before the clone. Errors: we could not end the run.
Result<void> share_host(const plan::Plan& plan, Sandbox::State& state);

/// Ends what is left in the run's v2 group when init has died before the payload did: the keeper
/// does so, unless the kernel has killed it for memory as well.
void end_orphans(const Sandbox::State& state);

/// Removes the private folders that killed runs have left.
void sweep_private_folders(const plan::Plan& plan);

}  // namespace sbx::launch
