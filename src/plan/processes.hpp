// The host's processes, which no payload sees, whatever its profile shows: a procfs of the host may
// be in more places than at /proc. Nor does it steer them: who may write to a cgroup of the host's
// kills or stops all that is in there, and lifts the run's own limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "plan/builder.hpp"

namespace sbx::plan {

/// Is `path` of the host's a procfs, or what one has of a process? /proc, and /proc/1 with what
/// lies in there; not /proc/cpuinfo.
bool shows_processes(const HostFacts& facts, std::string_view path);

/// Is it in a tree of the host's cgroups?
bool is_of_cgroups(const HostFacts& facts, std::string_view path);

/// An error: the root of the user's own is such a place.
Result<void> check_root(const Builder& b);

/// A place, and what of the host's would be there.
using ShownPlace = std::pair<std::string, std::string_view>;

/// The first place in the host's `source` where processes would be seen or, where it is writable,
/// steered; nullopt: there is none.
std::optional<ShownPlace> shown_processes(const HostFacts& facts, const std::string& source,
                                          bool writable);

/// The host's `source` is shown at `target`: remembers where in there processes would be seen or,
/// where it is writable, steered.
void note_processes(Builder& b, const std::string& source, const std::string& target,
                    bool writable);

/// Covers all that was noted; once everything is mounted.
void hide_processes(Builder& b);

}  // namespace sbx::plan
