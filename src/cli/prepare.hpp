// From a command line to the plan: what run, explain and --dry-run have in common.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "images/store.hpp"
#include "os/secret_memory.hpp"
#include "plan/plan.hpp"
#include "profile/load.hpp"
#include "supervise/run_clock.hpp"

namespace sbx::cli {

/// The effective profile; every problem when it has some.
std::expected<profile::Profile, profile::Problems> load_profile(
    const profile::LoadRequest& request);

struct Planned {
  profile::Profile profile;
  plan::Plan plan;
  std::optional<images::Held> image{};      ///< of `root: {oci: ...}`: it stays while this does
  std::vector<os::SecretMemory> secrets{};  ///< the values; none when nothing is to run
};

/// Finds, loads, checks, looks at the host, and plans. Opens the log first when one was asked for.
/// `clock` (may be null) is told which of these it is at.
std::expected<Planned, profile::Problems> prepare(const Arguments& arguments,
                                                  const std::string& run_id,
                                                  supervise::RunClock* clock);

/// A name for one run: the time and 32 random bits, "20260102-030405-9f86d081".
Result<std::string> make_run_id();

}  // namespace sbx::cli
