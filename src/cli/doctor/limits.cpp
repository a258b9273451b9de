// Which way to a cgroup this host takes, tried for real, why not an earlier one, and which limits
// hold.
#include "cli/doctor/limits.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "os/controller_problems.hpp"

namespace sbx::cli::doctor {
namespace {

using Json = nlohmann::ordered_json;

/// A limit and its controller's two names; no v2 name: every v2 group does it.
struct LimitRow {
  const char* key;
  const char* v1;  ///< nullptr: v1 has nothing like it
  const char* v2;
  bool by_default;  ///< the profile `default` has it
};
constexpr std::array kLimits{LimitRow{"memory", "memory", "memory", true},
                             LimitRow{"pids", "pids", "pids", true},
                             LimitRow{"cpus", "cpu", "cpu", false},
                             LimitRow{"cpuset", "cpuset", "cpuset", false},
                             LimitRow{"io", "blkio", "io", false},
                             LimitRow{"cpu", "cpuacct", "", false},
                             LimitRow{"memory_high", nullptr, "memory", false},
                             LimitRow{"oom_kill", "memory", "memory", false},
                             LimitRow{"cpu_weight", "cpu", "cpu", false}};

bool works(const os::TriedHome& one) { return one.home.problem.empty(); }

bool holds(const Limits& found, const LimitRow& limit) {
  return std::ranges::any_of(found.tried, [&limit](const os::TriedHome& one) {
    if (!works(one)) return false;
    const char* const name = one.home.version == 1 ? limit.v1 : limit.v2;
    return name != nullptr && (*name == '\0' || std::ranges::find(one.home.controllers, name) !=
                                                    one.home.controllers.end());
  });
}

std::string home_line(const os::TriedHome& one) {
  std::string line = "v" + std::to_string(one.home.version) + "  " + printable(one.group);
  if (works(one)) {
    const std::string all = join(one.home.controllers, " ");
    return line + ": taken" +
           (all.empty() ? "; no controller, kills and freezes\n" : ": " + all + "\n");
  }
  line += ": passed over: " + printable(one.home.problem) + "\n";
  if (!one.home.fix.empty()) line += "      to use it: " + printable(one.home.fix) + "\n";
  return line;
}

}  // namespace

Limits try_limits() {
  const std::vector<std::string> wanted{"memory", "pids", "cpu",   "cpuacct",
                                        "cpuset", "io",   "blkio", "hugetlb"};
  Limits found;
  found.tried = os::try_cgroup_homes(wanted);
  std::vector<CgroupHome> homes;
  homes.reserve(found.tried.size());
  for (const os::TriedHome& one : found.tried) homes.push_back(one.home);
  found.kernel = os::controller_problems(wanted, homes);
  return found;
}

bool default_limits_hold(const Limits& found) {
  return std::ranges::all_of(kLimits, [&found](const LimitRow& limit) {
    return !limit.by_default || holds(found, limit);
  });
}

std::string missing_limits(const Limits& found) {
  std::vector<std::string> missing;
  for (const LimitRow& limit : kLimits)
    if (!holds(found, limit)) missing.push_back(std::string("limits.") + limit.key);
  return join(missing, ", ");
}

std::string to_text(const Limits& found) {
  std::string out;
  for (const os::TriedHome& one : found.tried) out += home_line(one);
  if (found.tried.empty()) out += "no cgroup hierarchy is mounted here\n";
  for (const auto& [name, why] : found.kernel) out += why + "\n";
  std::vector<std::string> yes;
  for (const LimitRow& limit : kLimits)
    if (holds(found, limit)) yes.push_back(std::string("limits.") + limit.key);
  if (!yes.empty()) out += "hold here: " + join(yes, ", ") + "\n";
  if (const std::string no = missing_limits(found); !no.empty())
    out += "do not hold here: " + no + "\n";
  return out;
}

Json to_json(const Limits& found) {
  Json taken = Json::array();
  Json passed_over = Json::array();
  for (const os::TriedHome& one : found.tried) {
    Json home{
        {"version", one.home.version}, {"group", one.group}, {"controllers", one.home.controllers}};
    if (!works(one)) {
      home["problem"] = one.home.problem;
      home["fix"] = one.home.fix.empty() ? Json(nullptr) : Json(one.home.fix);
    }
    (works(one) ? taken : passed_over).push_back(std::move(home));
  }
  Json limits = Json::object();
  for (const LimitRow& limit : kLimits) limits[limit.key] = holds(found, limit);
  return {
      {"taken", taken}, {"passed_over", passed_over}, {"kernel", found.kernel}, {"limits", limits}};
}

}  // namespace sbx::cli::doctor
