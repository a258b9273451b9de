// Tier `landlock` (sbx-profile(5), degrade) as a way out.
#pragma once

#include <optional>

#include "base/feature.hpp"
#include "base/surroundings.hpp"

namespace sbx::diagnose {

/// Would a run start without what was refused, if it may go on without namespaces? Pure.
bool can_do_without(std::optional<Feature> feature, int error, const Surroundings& around);

}  // namespace sbx::diagnose
