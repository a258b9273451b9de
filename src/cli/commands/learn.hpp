// `sbx learn`: runs a command, and writes the profile that it needs.
#pragma once

#include "cli/arguments.hpp"
#include "supervise/clock.hpp"

namespace sbx::cli {

/// Returns the command's exit code; 125 when it never ran or when the profile could not be written.
int learn_command(const Arguments& arguments, supervise::Nanos started);

}  // namespace sbx::cli
