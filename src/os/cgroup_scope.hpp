// The user's systemd manager as the last way to a group: it makes a transient scope around us that
// is ours to divide (org.freedesktop.systemd1(5), StartTransientUnit; Delegate=yes). By systemd's
// own busctl(1), so that whoever has a group without it neither links nor asks for D-Bus.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace sbx::os {

struct ManagerFacts {
  std::vector<std::string> controllers{};  ///< what a scope of it could have
  std::string problem{};                   ///< not empty: there is no manager to ask, and why
  std::string fix{};
};
/// Looks for the manager's bus socket and for busctl; asks nobody yet. `mount`: of cgroup v2.
ManagerFacts find_user_manager(const std::string& mount);

/// Has the manager move this process into the new scope `name` and waits until it is there (some
/// ten milliseconds). Returns our group from then on. `cpu_weight`: of the scope among its
/// neighbours; empty: as all. `said`: what busctl had to say of a failure.
SysResult<std::string> enter_scope(const std::string& mount, const std::string& name,
                                   const std::string& cpu_weight, std::string& said);

}  // namespace sbx::os
