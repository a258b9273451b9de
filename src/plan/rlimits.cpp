// Limits of setrlimit(2) for each process of the payload. Nobody inside may raise what sbx itself
// was started with, so that a higher one is a wish: the command gets what there is, and is told so.
#include <algorithm>

#include "plan/builder.hpp"

namespace sbx::plan {
namespace {

using Value = std::optional<std::uint64_t>;

/// What becomes of `wanted` (nothing: no limit) below the caller's own hard limit.
Value within_reach(const Builder& b, const std::string& name, Value wanted) {
  const auto hard = b.facts.hard_limits.find(name);
  if (hard == b.facts.hard_limits.end()) return wanted;
  return std::min(wanted.value_or(hard->second), hard->second);
}

void plan_rlimit(Builder& b, const std::string& name, Value wanted) {
  const std::string key = "limits.rlimits." + name;
  const Value given = within_reach(b, name, wanted);
  if (wanted != given) b.plan.limits.rlimits[name] = given;
  b.add(Phase::payload, SetRlimit{name, given},
        wanted == given ? key : key + ", as far as the caller's own hard limit goes", key);
  // `none` is no limit of ours, and no wish for one.
  if (wanted && given && *given < *wanted && b.is_chosen(key))
    b.plan.warnings.push_back(key + " (" + b.written_at(key) + ") is " + std::to_string(*wanted) +
                              ", and the command gets " + std::to_string(*given) +
                              ": the hard limit that sbx was started with (ulimit -H)");
}

/// Without a cgroup for limits.pids the user's rlimit stands in, where the kernel counts it in each
/// user namespace of its own.
void plan_process_count(Builder& b) {
  const std::vector<std::string>& approximate = b.plan.isolation.approximate;
  const auto& pids = b.profile.limits.pids;
  if (!pids || std::ranges::find(approximate, "pids") == approximate.end()) return;
  // More for those of ours, which are of the same user.
  const std::uint64_t stand_in = *pids + b.own_processes();
  const auto chosen = b.profile.limits.rlimits.find("nproc");
  if (chosen != b.profile.limits.rlimits.end()) {
    const Value given = within_reach(b, "nproc", chosen->second);
    if (given && *given <= stand_in) return;
    b.plan.limits.rlimits["nproc"] = stand_in;
  }
  b.add(Phase::payload, SetRlimit{"nproc", stand_in}, "stands in for a cgroup: limits.pids",
        "limits.pids");
}

/// Of the caller's priority the command is given nothing that the profile does not name: no
/// cpu.max binds a real-time task (cgroup-v2.rst).
void plan_priorities(Builder& b) {
  for (const std::string& name : b.facts.priorities)
    if (!b.profile.limits.rlimits.contains(name))
      b.add(Phase::payload, SetRlimit{name, 0}, "the caller's priority is not the command's");
}

/// The kernel counts them for a user as a whole (mq_overview(7)).
void plan_queues(Builder& b) {
  constexpr std::uint64_t kHalf = std::uint64_t{400} << 10U;  // of what the kernel gives a user
  const std::string key = queues_key(b);
  if (key.empty() || b.profile.limits.rlimits.contains("msgqueue")) return;
  b.plan.limits.rlimits["msgqueue"] = kHalf;
  b.add(Phase::payload, SetRlimit{"msgqueue", kHalf}, "the kernel counts them for a whole user",
        key);
}

}  // namespace

bool leaves_cores(const profile::Profile& profile) {
  const auto core = profile.limits.rlimits.find("core");
  return core == profile.limits.rlimits.end() || core->second.value_or(1) > 0;
}

void plan_rlimits(Builder& b) {
  for (const auto& [name, value] : b.profile.limits.rlimits) plan_rlimit(b, name, value);
  plan_queues(b);
  plan_priorities(b);
  plan_process_count(b);
}

}  // namespace sbx::plan
