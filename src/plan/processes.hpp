// The host's processes, which no payload sees, whatever its profile shows: a procfs of the host may
// be in more places than at /proc.
#pragma once

#include <string>
#include <string_view>

#include "plan/builder.hpp"

namespace sbx::plan {

/// Is `path` of the host's a procfs, or what one has of a process? /proc, and /proc/1 with what
/// lies in there; not /proc/cpuinfo.
bool shows_processes(const HostFacts& facts, std::string_view path);

/// An error: the root of the user's own is such a place.
Result<void> check_root(const Builder& b);

/// The host's `source` is shown at `target`: remembers where in there processes would be seen.
void note_processes(Builder& b, const std::string& source, const std::string& target);

/// Covers all that was noted; once everything is mounted.
void hide_processes(Builder& b);

}  // namespace sbx::plan
