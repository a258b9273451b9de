// Looks at one bind source.
#pragma once

#include "base/host_facts.hpp"
#include "os/probe.hpp"

namespace sbx::os {

/// What `request` names, by opening it (never by walking its text): relative ones stay beneath the
/// base, absolute ones follow links. Never fails; what is wrong is in `problem`. `cwd`: the working
/// directory as getcwd(2) names it, where the caller knows it.
SourceFacts look_at_source(const SourceRequest& request, bool disk = false,
                           const std::string& cwd = {});

}  // namespace sbx::os
