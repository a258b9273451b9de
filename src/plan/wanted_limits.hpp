// Between limits.cpp, which says what controllers have to enforce, and cgroups.cpp, which finds
// each a group; no_group.cpp words what is missing.
#pragma once

#include <string>
#include <vector>

#include "plan/builder.hpp"

namespace sbx::plan {

/// One limit that a controller has to enforce: the settings differ between v1 and v2.
struct Wanted {
  std::string key;   ///< in the profile: "limits.memory"
  std::string name;  ///< in the result's `required`: "memory"
  std::string v1;    ///< controller there; empty: v1 has nothing that does the same
  std::string v2;    ///< empty: any v2 group will do
  std::vector<CgroupSetting> v1_settings;
  std::vector<CgroupSetting> v2_settings;
  bool needless = false;  ///< nothing to be limited on this host today: done if it costs nothing
  bool v1_counts_only = false;  ///< v1 bounds nothing of it, but its group counts
  bool v1_approximate = false;  ///< v1 lets something through
  bool by_filter = false;       ///< without a group, the system-call filter can do it
  /// What the supervisor has to do for it there, besides.
  bool Supervision::* v1_watch = nullptr;
  bool Supervision::* v2_watch = nullptr;
};

/// disks.cpp: what limits.io is about.
struct Disks {
  std::vector<std::string> devices{};  ///< "major:minor", of all folders that are shown
  std::string unknown{};  ///< a folder whose disk cannot be limited (overlay, btrfs, a network's)
};
Disks disks_of(const Builder& b);

std::vector<Wanted> wanted_limits(const Builder& b);

/// The refusal when `missing` limits find no group: what speaks against each, and what would help.
Error no_group_for(const Builder& b, const std::vector<Wanted>& missing);

}  // namespace sbx::plan
