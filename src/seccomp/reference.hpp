// libseccomp's program for a policy: the second opinion that the build and the unit tests hold ours
// against. Not used by a run: it takes libseccomp some milliseconds, and the kernel twice as long.
#pragma once

#include <linux/filter.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "seccomp/policy.hpp"

namespace sbx::seccomp {

/// Compiles `policy` with libseccomp (binary tree, foreign architectures killed). Argument rules
/// are not given to libseccomp, which takes one comparison of an argument per rule and orders
/// overlapping rules by itself: a call that has some answers with reference_mark(number) instead.
Result<std::vector<sock_filter>> reference_program(const Policy& policy);

/// What reference_program returns for a call with argument rules.
std::uint32_t reference_mark(unsigned number);

/// Every way in which `program` and libseccomp's differ for `policy`: a sentence each. Looks at
/// every number of the table and beyond, of x86_64, i386 and x32, and at the names of the calls.
Result<std::vector<std::string>> differences(const Policy& policy,
                                             const std::vector<sock_filter>& program);

}  // namespace sbx::seccomp
