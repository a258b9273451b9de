// Why Landlock's rules are refused.
#pragma once

#include "base/surroundings.hpp"
#include "diagnose/causes.hpp"

namespace sbx::diagnose {

/// Nothing where none is known. Without a fix where it depends on the step what can be done.
Cause landlock_cause(int error, const Surroundings& around);

}  // namespace sbx::diagnose
