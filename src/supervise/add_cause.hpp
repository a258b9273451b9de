// Why this host refused something: looked up when it did, never before.
#pragma once

#include "base/error.hpp"

namespace sbx::supervise {

/// Completes an error of the host's or of setting up by its likely cause, and replaces the hint by
/// what helps against that. Takes some milliseconds; leaves other errors, and unknown causes, as
/// they are. `bare`: would it also run without namespaces?
void add_cause(Error& error, bool bare = true);

}  // namespace sbx::supervise
