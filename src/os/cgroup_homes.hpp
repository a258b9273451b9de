// Where the run's groups could be made: every group of the host that comes into question, in the
// order in which they are taken, with what speaks against those that are passed over. Looks only;
// whether a group can really be made shows when it is (cgroup.hpp). Runs in the supervisor, before
// the plan.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/host_facts.hpp"

namespace sbx::os {

/// `wanted`: controllers under both their names ("io", "blkio"); `mountinfo`: our own, as text.
/// v2 homes come first. On v2:
/// - root: our own group if it was delegated to us and holds nobody else, then the top of the tree.
/// - others: our own group and the ones above it, as far as they are ours to write, then a scope
/// that
///   the user's systemd manager makes.
/// On v1, and on v2 beside it (a hybrid host): our own group.
std::vector<CgroupHome> find_cgroup_homes(const std::vector<std::string>& wanted,
                                          std::string_view mountinfo);

/// Whether a home, usable or not, has `controller`.
bool any_lists(const std::vector<CgroupHome>& homes, const std::string& controller);

/// Whether swap can be limited where memory is: the file is there.
bool swap_can_be_limited(const std::vector<CgroupHome>& homes);

/// Whether what sockets buffer can be limited where memory is, if that is on v1.
bool sockets_can_be_limited(const std::vector<CgroupHome>& homes);

}  // namespace sbx::os
