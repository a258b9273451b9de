// From a policy to a BPF program that the kernel loads fast. Pure.
//
// Loading costs the kernel about as much as the program has instructions (it translates each), plus
// one run for every number it knows (it remembers those that are always allowed, so that a
// payload's calls do not run the filter at all). So the program is short and its paths are:
// architecture, x32, then a binary search over ranges of numbers with the same answer, then a
// call's argument rules. libseccomp's own program for the default policy is three times as long and
// takes twice as long to load; it is made too, when sbx is built, to check this one
// (reference.hpp).
#pragma once

#include <linux/filter.h>

#include <vector>

#include "base/error.hpp"
#include "seccomp/policy.hpp"

namespace sbx::seccomp {

/// Compiles `policy`. Fails (kind internal) on a call that the table does not have, an argument
/// above 5, and a program of more than 4096 instructions (BPF_MAXINSNS: very long `args`).
Result<std::vector<sock_filter>> layout(const Policy& policy);

}  // namespace sbx::seccomp
