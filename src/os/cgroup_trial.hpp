// Makes groups for real, for `sbx doctor --cgroup`: what looks usable may still be refused.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/host_facts.hpp"

namespace sbx::os {

/// A home, and what came of it: `home.problem` is empty where a group with all its controllers was
/// made (and removed again).
struct TriedHome {
  CgroupHome home;
  std::string group{};  ///< the group that was made, or where it would be
  /// What clone3(2) into it gave (0: a child began there); nullopt: not tried, or v1.
  std::optional<int> cloned{};
};

/// All homes of `wanted` in order: on v2 up to the first that works, on v1 each. May move this
/// process (CgroupWay::leaf, scope), as a run would.
std::vector<TriedHome> try_cgroup_homes(const std::vector<std::string>& wanted);

}  // namespace sbx::os
