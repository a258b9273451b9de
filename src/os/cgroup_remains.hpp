// The groups of runs that are known to have been killed, wherever they have been made.
#pragma once

#include <span>
#include <string>

namespace sbx::os {

/// Removes the empty groups of `runs` (their ids), below every cgroup mount that this process sees:
/// a run has groups where it was started, and for what it limits, which may be elsewhere than where
/// the next one has its own. Reads each folder of groups once; does nothing where `runs` is empty.
void sweep_cgroups_of(std::span<const std::string> runs);

}  // namespace sbx::os
