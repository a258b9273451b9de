// The plan: the profile resolved against this host and this invocation. What explain prints and
// what the launcher executes are this same value.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "network/policy.hpp"
#include "plan/step.hpp"
#include "profile/profile.hpp"
#include "seccomp/build.hpp"

namespace sbx::plan {

enum class InputMode { inherit, null, file };

/// `sbx learn`: what the supervisor hears of the payload's calls, and lets through.
enum class Learning {
  off,
  needs,  ///< denied calls that a profile could allow, and every path that is named in a call
  tight,  ///< and every other call
};

/// A name in a folder of the host (workspace.git: protect): the run ends when it comes into being.
struct WatchedPlace {
  std::string folder;
  std::string name;
  bool absent = false;  ///< it is not there at the start, and removed at the end; else replaced
};

/// What the supervisor watches while the payload runs.
struct Supervision {
  std::optional<std::chrono::milliseconds> wall{};
  std::optional<std::chrono::milliseconds> cpu{};
  std::optional<std::chrono::milliseconds> idle{};
  std::chrono::milliseconds grace{0};
  /// No cgroup holds the memory limit: the supervisor looks at the tree's use now and then.
  std::optional<std::uint64_t> sampled_memory{};
  bool tell_memory_high = false;  ///< v2: says when limits.memory_high is crossed
  /// v1 has no memory.oom.group: looks for the kernel's kills now and then, and ends the rest.
  bool end_tree_on_oom = false;
  std::optional<std::chrono::milliseconds> usage_interval{};  ///< of `usage` events
  std::vector<WatchedPlace> watched{};
  std::vector<std::string> without_links{};  ///< git folders; links in them are removed at the end
  profile::OutputLimits output{};
  InputMode input = InputMode::inherit;
  std::string input_file{};
  std::string input_where{};    ///< the line or flag that names it
  bool tty = false;             ///< the payload gets a fresh pty
  bool capture = false;         ///< --json: keep the output, print nothing of it
  bool summary = false;         ///< a person sees standard error: what was blocked, what is kept
  bool denials = false;         ///< hear of denied calls: for the result, or a person at a terminal
  bool hears_connects = false;  ///< hear of what connects: plan::OpenGateway has late ports
  Learning learning = Learning::off;  ///< not off: `denials` is set as well
  bool redacts = false;               ///< there is something to look for in the output
  std::vector<std::string> redact_patterns{};
  profile::OnLeak on_leak = profile::OnLeak::redact;
  bool meter = false;  ///< --json, --result or --events: count and hash the output
};

/// What this run promises, for the result's `isolation`.
struct Isolation {
  std::string tier = "full";
  std::vector<std::string> namespaces{};
  std::string cgroup = "none";  ///< "v2", "v1", "none"
  std::string seccomp = "errno";
  int landlock_abi = 0;
  std::string user{};  ///< "1000:1000"
  std::vector<std::string> required{};
  std::vector<std::string> enforced{};
  std::vector<std::string> degraded{};
  std::vector<std::string> approximate{};  ///< of `degraded`: something weaker stands in;
                                           ///< of `enforced`: cgroup v1 lets something through
};

/// What a run changes in its workspace outlives it.
struct KeepChanges {
  std::string workspace;  ///< the folder on the host
  bool apply = false;     ///< put them in there when the command has succeeded
};

/// Files that outlive the run.
struct KeepArtifacts {
  std::vector<std::string> collect;  ///< patterns
  std::uint64_t max = 0;             ///< bytes of all together
  std::uint64_t max_files = 0;
  std::optional<std::chrono::milliseconds> ttl{};  ///< nullopt: until somebody removes them
};

/// What is known of a secret before anybody has its value.
struct PlannedSecret {
  std::string name;
  std::string from;   ///< as in the profile
  std::string base;   ///< the folder that a relative path in `from` is resolved beneath
  std::string place;  ///< its file inside; empty: none
  std::string env;    ///< its variable inside; empty: none
  bool redact = true;
  Origin origin{};  ///< of `from`
};

/// Where what the host may refuse of a filtered network was written; empty if nowhere.
struct EgressPlaces {
  std::vector<std::string> publish{};  ///< of each
  std::string connections{};           ///< network.limits.connections
};

struct Plan {
  std::string run_id;
  std::string run_name{};  ///< --name; empty: none was given
  std::string profile_name;
  std::string profile_sha256;
  std::vector<std::string> argv;
  std::vector<std::string> env;  ///< "NAME=value"; without those of secrets
  std::vector<PlannedSecret> secrets{};
  std::vector<std::string> search_path;  ///< folders, for an argv[0] without '/'
  std::vector<Step> steps;               ///< in order; phases do not interleave per process
  seccomp::Request seccomp;
  seccomp::Filter filter{std::span<const sock_filter>{}};  ///< `seccomp`, compiled
  Supervision supervision;
  Isolation isolation;
  profile::Limits limits;  ///< for the result's limit figures
  profile::NetworkMode network = profile::NetworkMode::none;
  std::optional<network::Policy> egress{};  ///< set when `network` is filtered
  EgressPlaces egress_places{};
  std::optional<KeepChanges> keep{};
  std::optional<KeepArtifacts> artifacts{};
  std::vector<std::string> warnings;

  /// No signal takes a call from the listener once it was made: it may be one that is let pass, or
  /// one that whoever makes it has to die for.
  [[nodiscard]] bool hears_at_once() const {
    return supervision.learning != Learning::off || supervision.hears_connects ||
           seccomp.on_deny == seccomp::OnDeny::kill;
  }

  /// How far ahead of ours the payload's monotonic clock is: it is in the time namespace that init
  /// has made.
  [[nodiscard]] std::int64_t monotonic_ahead_ms() const {
    for (const Step& step : steps)
      if (const auto* offsets = std::get_if<SetTimeOffsets>(&step.action))
        return offsets->monotonic_ms.value_or(0);
    return 0;
  }
};

}  // namespace sbx::plan
