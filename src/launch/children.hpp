// The two child mains.
#pragma once

#include "launch/context.hpp"

namespace sbx::launch {

/// init: the plan's init steps, the fork among them, the guard steps, then reaping and forwarding
/// until the payload ends. Runs as pid 1 of the new pid namespace.
[[noreturn]] void init_main(Context& context) noexcept;

/// payload: the plan's payload steps; the last one is the exec. Runs as pid 2, beside init and in a
/// copy of its memory.
[[noreturn]] void payload_main(Context& context) noexcept;

}  // namespace sbx::launch
