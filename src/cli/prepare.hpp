// From a command line to the plan: what run, explain and --dry-run have in common.
#pragma once

#include <expected>
#include <map>
#include <string>

#include "cli/arguments.hpp"
#include "plan/plan.hpp"
#include "profile/load.hpp"

namespace sbx::cli {

/// The caller's environment, for ${env:NAME} and the search for profiles.
std::map<std::string, std::string> caller_environment();

/// The effective profile of `name` with `overrides`; every problem when it has some.
std::expected<profile::Profile, profile::Problems> load_profile(
    const std::string& name, const std::vector<profile::Override>& overrides,
    const std::string& cwd);

/// Finds, loads, checks, looks at the host, and plans. Opens the log first when one was asked for.
std::expected<plan::Plan, profile::Problems> prepare(const Arguments& arguments,
                                                     const std::string& run_id);

/// A name for one run: the time and 32 random bits, "20260102-030405-9f86d081".
Result<std::string> make_run_id();

}  // namespace sbx::cli
