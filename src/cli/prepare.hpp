// From a command line to the plan: what run, explain and --dry-run have in common.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/host_facts.hpp"
#include "cli/arguments.hpp"
#include "images/store.hpp"
#include "plan/invocation.hpp"
#include "plan/plan.hpp"
#include "profile/load.hpp"
#include "supervise/run_clock.hpp"

namespace sbx::cli {

/// Opens `--log FILE`, if the line has it.
Result<void> open_log(const Arguments& arguments);

/// The effective profile; every problem when it has some.
std::expected<profile::Profile, profile::Problems> load_profile(
    const profile::LoadRequest& request);

/// Whose profile it is: what of the caller's process it may speak of.
struct Caller {
  std::map<std::string, std::string> env{};
  std::string cwd{};  ///< absolute
};

/// What plans are made of, whichever run they are for.
struct Grounds {
  profile::Profile profile;
  HostFacts facts;
  std::optional<images::Held> image{};  ///< of `root: {oci: ...}`: it stays while this does
};

/// Checks that this version has what `profile` uses, and looks at the host for it. `only_asks`: an
/// image is not unpacked.
std::expected<Grounds, profile::Problems> survey(profile::Profile profile, Caller caller, Verb verb,
                                                 bool only_asks);

/// For another run some time later: at what runs may have changed since, the caller's own files.
void look_again(Grounds& grounds);

/// The plan of one run, told to the log.
std::expected<plan::Plan, profile::Problems> plan_run(const Grounds& grounds,
                                                      const plan::Invocation& invocation);

struct Planned {
  profile::Profile profile;
  plan::Plan plan;
  std::map<std::string, std::string> env{};  ///< the caller's
  std::optional<images::Held> image{};       ///< of `root: {oci: ...}`: it stays while this does
};

/// Finds, loads, checks, looks at the host, and plans. Opens the log first when one was asked for.
/// `clock` (may be null) is told which of these it is at; `tell` (may be null) the profile, which
/// is known before what comes after it fails.
std::expected<Planned, profile::Problems> prepare(
    const Arguments& arguments, const std::string& run_id, supervise::RunClock* clock,
    const std::function<void(const profile::Profile&)>& tell = nullptr);

/// A name for one run: the time and 32 random bits, "20260102-030405-9f86d081".
Result<std::string> make_run_id();

}  // namespace sbx::cli
