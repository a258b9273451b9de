// From a refusal to its likely cause: what stands around sbx, read by people who know why kernels
// say no. Pure.
#pragma once

#include <string>

#include "base/error.hpp"
#include "base/feature.hpp"
#include "base/surroundings.hpp"

namespace sbx::diagnose {

/// Both are clauses without a full stop; empty: nothing is known.
struct Cause {
  std::string why{};  ///< "user.max_user_namespaces is 0"
  std::string fix{};  ///< the one thing to try: "as root: sysctl -w user.max_user_namespaces=15000"
};

/// Why `feature` is refused with `error` (0: whoever tried it was killed). A filter that refuses a
/// call by its name is known for certain, and named; where several things may be the cause, the one
/// that is visibly set comes first.
Cause likely_cause(Feature feature, int error, const Surroundings& around);

/// Completes an error by its likely cause, and replaces the hint by what helps against that. An
/// error that names no feature is completed only where nothing of sbx works; one with a cause stays
/// as it is. `bare`: would it also run without namespaces?
void add_cause(Error& error, const Surroundings& around, bool bare = true);

}  // namespace sbx::diagnose
