// Which processor init and the payload have while the sandbox is set up, beside who has forked
// them.
#pragma once

#include <sys/types.h>

#include "launch/context.hpp"

namespace sbx::launch {

/// The supervisor is about to wait, and has done what `init` waited for. Where that has still not
/// gone on, somebody else has the processor that it was sent to: it gets ours.
void call_init_back(const Context& context, pid_t init) noexcept;
/// For init, when the supervisor is ready: undoes that.
void let_init_move(const Context& context) noexcept;
/// The same for the payload, when init is about to wait for it; AwaitRelease undoes it.
void call_payload_back(const Context& context) noexcept;

}  // namespace sbx::launch
