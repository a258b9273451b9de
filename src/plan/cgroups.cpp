// Finds each limit a group: one on v2 for all that can be had there, one in each v1 hierarchy for
// the rest.
#include <algorithm>

#include "base/text.hpp"
#include "plan/wanted_limits.hpp"

namespace sbx::plan {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool serves_v2(const CgroupHome& home, const Wanted& limit) {
  return limit.v2.empty() || has(home.controllers, limit.v2);
}

/// The usable v2 homes that serve most of the limits (in their order, the best first), and all the
/// same ones.
std::vector<CgroupHome> best_v2_homes(const Builder& b, const std::vector<Wanted>& wanted) {
  const auto served = [&wanted](const CgroupHome& home) {
    return std::ranges::count_if(wanted, [&home](const Wanted& w) { return serves_v2(home, w); });
  };
  std::vector<CgroupHome> best;
  for (const CgroupHome& home : b.facts.cgroups) {
    if (home.version != 2 || !home.problem.empty()) continue;
    if (!best.empty() && served(home) > served(best.front())) best.clear();
    const bool same = best.empty() || std::ranges::all_of(wanted, [&](const Wanted& w) {
                        return serves_v2(home, w) == serves_v2(best.front(), w);
                      });
    if (same) best.push_back(home);
  }
  return best;
}

const CgroupHome* v1_home(const Builder& b, const Wanted& limit) {
  for (const CgroupHome& home : b.facts.cgroups)
    if (home.version == 1 && home.problem.empty() && has(home.controllers, limit.v1)) return &home;
  return nullptr;
}

void add_to(MakeCgroup& group, const std::string& controller,
            const std::vector<CgroupSetting>& settings) {
  if (!controller.empty() && !has(group.controllers, controller))
    group.controllers.push_back(controller);
  group.settings.insert(group.settings.end(), settings.begin(), settings.end());
}

/// Adds the limit to the run's group in that v1 hierarchy, or starts one.
void place_v1(Builder& b, const Wanted& limit, const CgroupHome& home) {
  for (Step& step : b.plan.steps) {
    auto* group = std::get_if<MakeCgroup>(&step.action);
    if (group == nullptr || group->version != 1 || group->homes.front().mount != home.mount)
      continue;
    add_to(*group, limit.v1, limit.v1_settings);
    step.reason += ", " + limit.key;
    return;
  }
  b.add(Phase::attend, MakeCgroup{1, {limit.v1}, {home}, "sbx-" + b.plan.run_id, limit.v1_settings},
        limit.key, limit.key);
}

/// Without swap accounting the limit holds only where there is no swap at all.
Result<void> check_swap(Builder& b) {
  if (!b.profile.limits.swap || b.facts.swap_accounting || !b.facts.has_swap) return {};
  b.plan.isolation.required.emplace_back("swap");
  if (b.degrades("cgroup")) {
    b.plan.isolation.degraded.emplace_back("swap");
    return {};
  }
  return std::unexpected(Error{
      .kind = ErrorKind::host,
      .what = "limits.swap (" + b.written_at("limits.swap") +
              ") cannot be enforced: this kernel does not account for swap, and swap is on",
      .hint = "boot with swapaccount=1, switch swap off, write `swap: none` to allow it, or go on "
              "without: --degrade cgroup"});
}

/// A limit is about disks; overlay, btrfs and what comes over a network have none that is known.
Result<void> check_io(Builder& b) {
  if (!b.profile.limits.io.any()) return {};
  const std::string unknown = disks_of(b).unknown;
  if (unknown.empty()) return {};
  b.plan.isolation.required.emplace_back("io");
  if (b.degrades("cgroup")) {
    b.plan.isolation.degraded.emplace_back("io");
    return {};
  }
  return std::unexpected(
      Error{.kind = ErrorKind::host,
            .what = "limits.io (" + b.written_at("limits.io") + ") cannot be enforced: what disk " +
                    quote(unknown) + " is on is not known (overlay, btrfs, a network)",
            .hint = "use folders on disks of their own file systems, take the limit out, or go on "
                    "without: --degrade cgroup"});
}

/// Does RLIMIT_NPROC count this run's processes alone? Without a namespace only an own user id does
/// that.
bool counts_processes(const Builder& b) {
  return b.shares_host ? b.as_root : b.facts.nproc_counts_per_namespace;
}

/// Goes on without the group, and with what little can stand in for it.
void degrade(Builder& b, const Wanted& limit) {
  b.plan.isolation.degraded.push_back(limit.name);
  const bool memory = limit.name == "memory";
  if (memory) b.plan.supervision.sampled_memory = b.profile.limits.memory;
  // A sampled limit ends the whole tree; plan_privileges() sets the rlimit; the supervisor adds up
  // CPU time.
  if (memory || limit.name == "oom-kill" || limit.name == "cpu-time" ||
      (limit.name == "pids" && counts_processes(b)))
    b.plan.isolation.approximate.push_back(limit.name);
}

/// Where the limits have found a group so far.
struct Placement {
  MakeCgroup unified;             ///< the one on v2; without a home it is not made
  std::vector<std::string> keys;  ///< of the profile, whose limits are in it
  bool v1 = false;                ///< some are in groups on v1
  std::vector<Wanted> missing;    ///< nothing holds these
};

/// Gives the limit a group, on v2 before v1, or notes that nothing holds it. What v1 only counts is
/// no promise, and in none of the lists.
void place(Builder& b, const Wanted& limit, Placement& placement) {
  MakeCgroup& unified = placement.unified;
  const bool v2 = !unified.homes.empty() && serves_v2(unified.homes.front(), limit);
  const CgroupHome* const own = v2 ? nullptr : v1_home(b, limit);
  if (limit.needless && !v2 && own == nullptr) return;
  if (own != nullptr) {
    place_v1(b, limit, *own);
    placement.v1 = true;
    if (limit.v1_counts_only) return;
  }
  b.plan.isolation.required.push_back(limit.name);
  if (!v2 && own == nullptr && !limit.by_filter) {
    placement.missing.push_back(limit);
    return;
  }
  b.plan.isolation.enforced.push_back(limit.name);
  if (v2) {
    add_to(unified, limit.v2, limit.v2_settings);
    if (!has(placement.keys, limit.key)) placement.keys.push_back(limit.key);
    if (limit.v2_watch != nullptr) b.plan.supervision.*limit.v2_watch = true;
  } else if (own == nullptr) {
    b.plan.seccomp.no_huge_pages = true;
  } else {
    if (limit.v1_approximate) b.plan.isolation.approximate.push_back(limit.name);
    if (limit.v1_watch != nullptr) b.plan.supervision.*limit.v1_watch = true;
  }
}

/// Also without a controller: it is what kills and freezes the tree at once.
void add_unified(Builder& b, Placement& placement) {
  const std::vector<std::string>& keys = placement.keys;
  const std::string reason = keys.empty() ? "the tree can be killed and frozen" : join(keys, ", ");
  b.add(Phase::host, std::move(placement.unified), reason, keys.empty() ? "" : keys.front());
}

}  // namespace

Result<void> plan_cgroups(Builder& b) {
  SBX_CHECK(check_swap(b));
  SBX_CHECK(check_io(b));
  const std::vector<Wanted> wanted = wanted_limits(b);
  if (wanted.empty()) return {};
  Placement placement{{2, {}, best_v2_homes(b, wanted), "sbx-" + b.plan.run_id, {}}, {}, false, {}};
  for (const Wanted& limit : wanted) place(b, limit, placement);
  if (!placement.missing.empty() && !b.degrades("cgroup"))
    return std::unexpected(no_group_for(b, placement.missing));
  const bool v2 = !placement.unified.homes.empty();
  if (v2) add_unified(b, placement);
  b.plan.isolation.cgroup = placement.v1 ? "v1" : v2 ? "v2" : "none";
  if (placement.v1) b.plan.isolation.tier = "hybrid";
  if (placement.missing.empty()) return {};
  b.plan.isolation.tier = "rlimit";
  for (const Wanted& limit : placement.missing) degrade(b, limit);
  return {};
}

void plan_joining(Builder& b) {
  const bool v1 = std::ranges::any_of(b.plan.steps, [](const Step& step) {
    const auto* group = std::get_if<MakeCgroup>(&step.action);
    return group != nullptr && group->version == 1;
  });
  if (!v1) return;
  b.add(Phase::attend, HandOverCgroups{}, "the payload moves itself: no pid can be mistaken");
  b.add(Phase::init, PassCgroups{}, "init stays outside, and needs none of them");
  b.add(Phase::payload, JoinCgroups{}, "nothing of the payload's runs outside its limits");
  if (!b.shares_host)
    b.add(Phase::payload, UnshareCgroup{}, "the group shows as / and not as a host path");
}

}  // namespace sbx::plan
