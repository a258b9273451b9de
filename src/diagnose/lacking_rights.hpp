// Capabilities that root of a container has not, and what of a start by root that keeps from
// working.
#pragma once

#include "base/feature.hpp"
#include "base/surroundings.hpp"
#include "diagnose/causes.hpp"

namespace sbx::diagnose {

/// Why user_namespace or idmapped_mount is refused to root; nothing where it lacks no right.
Cause lacking_cause(Feature feature, const Surroundings& around);

/// Root cannot give a run ids of its own, which also the tier without namespaces does.
bool lacks_ids(const Surroundings& around);

}  // namespace sbx::diagnose
