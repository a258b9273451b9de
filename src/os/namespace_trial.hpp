// Whether this host lets a sandbox have its namespaces: asked only by who could go on without.
#pragma once

#include <optional>

#include "base/host_facts.hpp"

namespace sbx::os {

/// Makes, in a child that is thrown away, the namespaces of a run with an id map, a root, /proc and
/// /dev/pts of its own. Nothing: all of it works. Else what was refused, and with which errno.
std::optional<NoNamespaces> namespaces_refused();

}  // namespace sbx::os
