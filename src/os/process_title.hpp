// What /proc/PID/cmdline shows. init is a copy of the supervisor, whose command line names host
// paths and --env values, and everybody inside may read it.
#pragma once

namespace sbx::os {

/// Replaces the command line of the calling process by "sbx-init", in its own memory (proc(5),
/// cmdline), and its thread name. Allocation-free.
void hide_command_line() noexcept;

}  // namespace sbx::os
