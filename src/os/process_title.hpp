// What /proc/PID/cmdline shows. init is a copy of the supervisor, whose command line names host
// paths and --env values, and everybody inside may read it.
#pragma once

namespace sbx::os {

/// Replaces the command line of the calling process by `title` (it ends with a 0 and has at most 15
/// bytes), in its own memory (proc(5), cmdline), and its thread name. Allocation-free.
void hide_command_line(const char* title) noexcept;

}  // namespace sbx::os
