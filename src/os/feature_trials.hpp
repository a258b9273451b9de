// Tries every kernel feature that sbx is made of, each for real and in a throw-away child.
#pragma once

#include <vector>

#include "base/feature.hpp"
#include "base/surroundings.hpp"
#include "os/cgroup_trial.hpp"

namespace sbx::os {

/// One entry for each of kFeatures, in its order. What needs something that was refused is
/// `untried`. `cgroup_folder`: a v2 group of ours to clone a child into; empty: there is none.
std::vector<TriedFeature> try_features(const Surroundings& around,
                                       const std::vector<TriedHome>& homes);

}  // namespace sbx::os
