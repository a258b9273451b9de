// What init and payload send to the supervisor, and the places that are kept for it.
#pragma once

#include "base/error.hpp"
#include "launch/state.hpp"

namespace sbx::launch {

/// Changes, root, terminal, listener and the gateway's sockets may arrive when the payload runs
/// already, which is too late to find that there is no room for them: descriptors are held in their
/// place until then.
Result<void> reserve_places(const plan::Plan& plan, Sandbox::State& state);

/// In the order of the plan, and all of it sent before the exec.
Result<void> take_what_was_sent(const plan::Plan& plan, Sandbox::State& state);

}  // namespace sbx::launch
