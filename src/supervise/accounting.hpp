// What a run has used, from its cgroups while they still exist.
#pragma once

#include <cstdint>
#include <optional>

#include "os/cpu_time.hpp"
#include "supervise/live_sandbox.hpp"
#include "supervise/outcome.hpp"

namespace sbx::supervise {

/// What of `tree`, all that was counted of init and everything below it, is the command's.
os::CpuTime without_setup(const LiveSandbox& sandbox, const os::CpuTime& tree);

/// CPU time of the command and all below it so far, in microseconds; nullopt: no cgroup counts it.
std::optional<std::uint64_t> cpu_used_us(const LiveSandbox& sandbox);

/// Processes that the kernel killed for the memory limit so far; nullopt: no cgroup counts them.
std::optional<std::uint64_t> oom_kills(const LiveSandbox& sandbox);

/// Everything the cgroups tell now; nullopt where they do not count it.
Usage read_usage(const LiveSandbox& sandbox);

/// Adds what the cgroups of `version` have counted: those of v2, which have init in them, after
/// reap().
void add_final_counters(const LiveSandbox& sandbox, int version, Usage& usage);

/// `counted` with the rest, after reap(). Where no cgroup counts CPU time it is what the kernel
/// added up for init, which waits for all the others. `all`: what only a report shows, too.
Usage complete(Usage counted, const LiveSandbox& sandbox, bool all);

/// Where no cgroup counts: `seen` of the tree, should that be more than init's part.
void add_sampled(Usage& usage, const os::CpuTime& seen);

}  // namespace sbx::supervise
