// The graphics processors of this host, for rendering and computing: their nodes and what their
// drivers need besides. Only reads. Runs in the supervisor.
#pragma once

#include <string>

#include "base/host_facts.hpp"

namespace sbx::os {

/// Where another root than the host's gets the host's libraries of a driver.
inline constexpr const char* kGpuLibraries = "/run/gpu";

/// `as_root`: the command gets an id that nobody else has, and may open what all others may; else
/// what the caller may. `host_root`: the sandbox shows the host's /usr, and so most libraries.
/// `top`: of the host's tree, for tests.
GpuFacts find_gpu(bool as_root, bool host_root, const std::string& top = {});

}  // namespace sbx::os
