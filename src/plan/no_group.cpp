// Says why limits find no group on this host, and what would help.
#include <algorithm>

#include "base/text.hpp"
#include "plan/wanted_limits.hpp"

namespace sbx::plan {
namespace {

constexpr const char* kBootV2 =
    "boot with systemd.unified_cgroup_hierarchy=1, which moves all controllers to cgroup v2";

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::string where_of(const CgroupHome& home) {
  if (home.way == CgroupWay::scope) return "a scope of the user's systemd manager";
  return home.mount + (home.group == "/" ? "" : home.group);
}

/// What speaks against each group of the host, and what would help: the last one's advice, because
/// the ways are in the order in which they should be taken, and the last is open to most.
std::string passed_over(const Builder& b, std::string& fix) {
  std::vector<std::string> reasons;
  for (const CgroupHome& home : b.facts.cgroups) {
    if (home.problem.empty()) continue;
    reasons.push_back(where_of(home) + ": " + home.problem);
    if (!home.fix.empty()) fix = home.fix;
  }
  return join(reasons, "; ");
}

std::string with_controllers(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  return std::string("with the controller").append(names.size() == 1 ? " " : "s ") +
         join(names, ", ") + " ";
}

const CgroupHome* usable_v2(const Builder& b) {
  for (const CgroupHome& home : b.facts.cgroups)
    if (home.version == 2 && home.problem.empty()) return &home;
  return nullptr;
}

/// For a user whose missing controllers are in v1 groups of others; empty: that is not the case.
std::string v1_advice(const Builder& b, const std::vector<Wanted>& missing) {
  std::vector<std::string> folders;
  bool simple = true;  // all of them by one command (cgroup_homes.cpp, add_v1())
  for (const CgroupHome& home : b.facts.cgroups) {
    const bool needed = std::ranges::any_of(
        missing, [&home](const Wanted& limit) { return has(home.controllers, limit.v1); });
    if (home.version != 1 || !needed || home.problem.empty()) continue;
    folders.push_back(where_of(home));
    simple = simple && !home.fix.empty();
  }
  if (folders.empty() || b.as_root) return {};
  const std::string first =
      simple ? "give yourself groups: " + own_v1_groups_command(folders) : "start sbx as root";
  return first + ", or " + kBootV2;
}

/// Only v2 has what is missing, and this host keeps the controller on v1.
bool needs_v2(const Builder& b, const std::vector<Wanted>& missing) {
  return std::ranges::any_of(missing, [&b](const Wanted& limit) {
    return limit.v1.empty() && std::ranges::any_of(b.facts.cgroups, [&](const CgroupHome& home) {
             return home.version == 1 && has(home.controllers, limit.v2);
           });
  });
}

/// When no group says what would help.
std::string general_advice(const Builder& b) {
  if (usable_v2(b) != nullptr && !b.as_root)
    return "have systemd hand all controllers to its users: sudo systemctl edit user@.service, add "
           "the lines [Service] and Delegate=cpu cpuset io memory pids, and log in anew";
  if (b.as_root)
    return "let root write to a group here (a systemd unit: Delegate=yes; a container: "
           "/sys/fs/cgroup "
           "mounted to be written)";
  return "start sbx as root or in a delegated group (systemd-run --user --scope -p Delegate=yes "
         "sbx ...)";
}

}  // namespace

Error no_group_for(const Builder& b, const std::vector<Wanted>& missing) {
  std::vector<std::string> keys;
  std::vector<std::string> controllers;
  std::vector<std::string> reasons;
  for (const Wanted& limit : missing) {
    keys.push_back(limit.key + " (" + b.written_at(limit.key) + ")");
    const std::string controller = limit.v1.empty() ? limit.v2 + " of cgroup v2" : limit.v2;
    if (controller.empty() || has(controllers, controller)) continue;
    controllers.push_back(controller);
    const auto known = b.facts.controller_problems.find(limit.v2);
    if (known != b.facts.controller_problems.end() && !has(reasons, known->second))
      reasons.push_back(known->second);
  }
  std::string fix;
  const CgroupHome* const lacking = usable_v2(b);
  if (reasons.empty() && lacking != nullptr)
    reasons.push_back(where_of(*lacking) + (lacking->controllers.empty()
                                                ? " has no controller"
                                                : " has only " + join(lacking->controllers, ", ")));
  if (reasons.empty()) {
    if (std::string why = passed_over(b, fix); !why.empty()) reasons.push_back(std::move(why));
  }
  Error error{.kind = ErrorKind::host,
              .what = "this host gives us no cgroup for " + join(keys, ", ") + ": no group " +
                      with_controllers(controllers) + "can be made here"};
  if (!reasons.empty()) error.what += " (" + join(reasons, "; ") + ")";
  error.hint = needs_v2(b, missing) ? kBootV2 : v1_advice(b, missing);
  if (error.hint.empty()) error.hint = fix.empty() ? general_advice(b) : fix;
  error.hint += ", or go on without these limits: --degrade cgroup";
  return error;
}

}  // namespace sbx::plan
