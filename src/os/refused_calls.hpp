// Which system calls a filter around sbx refuses, or the kernel does not have: each is made with
// arguments that the kernel itself would refuse with another error, so that nothing happens.
#pragma once

#include <vector>

#include "base/surroundings.hpp"

namespace sbx::os {

/// Of the calls that a start makes, those that are refused. `filtered`: a seccomp filter is on us;
/// without one only a missing call (ENOSYS) counts, because security modules refuse what is asked
/// and not the call. Made in throw-away children, since a filter may kill. If not even those can be
/// made, the answer is that: "clone".
/// `rights`: namespaces of ours come with the rights that belong to them.
std::vector<RefusedCall> find_refused_calls(bool filtered, bool rights);

/// Who makes clone3(2) here is killed: neither namespaces nor groups can be tried.
bool clone3_kills();

}  // namespace sbx::os
