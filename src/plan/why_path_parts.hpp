// What why_path.cpp and why_shared_path.cpp say alike.
#pragma once

#include <string>

#include "plan/path_finder.hpp"
#include "plan/why_parts.hpp"

namespace sbx::plan {

inline constexpr const char* kOutOfReach =
    "you cannot reach it on the host either: open the way to it";

/// The mode of the workspace decides what can be done there.
void decide_by_mode(const Asked& asked, Answer& answer);

/// Is the entry `key` of `mounts` the one for this very place?
bool is_own_target(const profile::Profile& profile, const std::string& key,
                   const std::string& path);

/// Of a folder of the host's that is shown, and that lacks `source`.
void say_missing(const std::string& source, Answer& answer);

/// Tier `landlock`: where the host's own links lead, except into /proc, where the rules name them.
std::string on_host(const Asked& asked, std::string path);

/// Tier `landlock`: the path is the host's, and rules of Landlock's say what may be done there.
Answer shared_path(const Asked& asked, const Found& found, const ApplyLandlock& wall,
                   const std::string& path);

}  // namespace sbx::plan
