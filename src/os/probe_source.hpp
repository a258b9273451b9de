// Looks at one bind source.
#pragma once

#include "base/host_facts.hpp"
#include "os/probe.hpp"

namespace sbx::os {

/// What `request` names, by opening it (never by walking its text): relative ones stay beneath the
/// base, absolute ones follow links. Never fails; what is wrong is in `problem`.
SourceFacts look_at_source(const SourceRequest& request, bool disk = false);

}  // namespace sbx::os
