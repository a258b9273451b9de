// ${name}, ${env:NAME}, ${env:NAME:-fallback} and $${ in a profile's text values. Pure.
#pragma once

#include <map>
#include <string>

#include "profile/node.hpp"

namespace sbx::profile {

/// Longest text that variables may grow a value to.
inline constexpr std::size_t kMaxExpanded = std::size_t{64} << 10U;

/// Replaces variables in every value below `root` (not in keys) and takes `vars` out of it. Values
/// that came from flags are left as they are: the shell has variables of its own.
void interpolate(Node& root, const std::map<std::string, std::string>& env, Findings& findings);

}  // namespace sbx::profile
