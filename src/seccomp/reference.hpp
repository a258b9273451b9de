// libseccomp's program for a policy: the second opinion that the build and the unit tests hold ours
// against. Not used by a run: it takes libseccomp some milliseconds, and the kernel twice as long.
#pragma once

#include <linux/filter.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "seccomp/policy.hpp"

namespace sbx::seccomp {

/// Every way in which `program` and libseccomp's differ for `policy`: a sentence each. Looks at
/// every number of the table and beyond, of its machine and of the tables beside it, and at the
/// names of the calls.
Result<std::vector<std::string>> differences(const Policy& policy,
                                             const std::vector<sock_filter>& program);

}  // namespace sbx::seccomp
