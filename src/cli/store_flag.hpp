// Where each flag of the command line goes: into the profile, or into the arguments of sbx itself.
#pragma once

#include <string>
#include <string_view>

#include "cli/arguments.hpp"
#include "cli/options.hpp"
#include "profile/load.hpp"

namespace sbx::cli {

/// Stores one occurrence of a flag; `cwd`: what a path in `value` starts at.
void store_flag(const OptionSpec& option, const std::string& value, std::string_view cwd,
                Arguments& arguments, profile::Problems& problems);

}  // namespace sbx::cli
