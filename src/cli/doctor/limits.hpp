// Which limits hold on this host: the doctor's part about cgroups.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "os/cgroup_trial.hpp"

namespace sbx::cli::doctor {

struct Limits {
  std::vector<os::TriedHome> tried;
  std::map<std::string, std::string> kernel;  ///< controller -> why the kernel has none
};

/// Makes groups in every way that a run would try, and removes them. May move this process.
Limits try_limits();

/// Do those of the profile `default` hold?
bool default_limits_hold(const Limits& limits);

/// "limits.memory, limits.pids": those that do not; empty: all do.
std::string missing_limits(const Limits& limits);

/// A line for each home, then which limits hold; for people.
std::string to_text(const Limits& limits);
nlohmann::ordered_json to_json(const Limits& limits);

}  // namespace sbx::cli::doctor
