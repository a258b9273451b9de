// Runs in the supervisor; reads cgroup files through os/cgroup_stats.
#include "supervise/accounting.hpp"

#include <algorithm>

#include "os/cgroup_stats.hpp"

namespace sbx::supervise {
namespace {

/// init and its like are no processes of the payload's, nor counted by limits.pids; only a group of
/// v2 has them inside.
std::optional<std::uint64_t> without_ours(const LiveSandbox& sandbox,
                                          std::optional<std::uint64_t> count, int version) {
  if (version != 2 || !count) return count;
  return *count - std::min<std::uint64_t>(*count, sandbox.own_processes());
}

/// What of the set-up a group of this version has counted: v2 has init in it, and v1 only who has
/// joined.
os::CpuTime setup_counted(const LiveSandbox& sandbox, int version) {
  const launch::SetupTime setup = sandbox.setup_time();
  return version == 2 ? os::plus(setup.init, setup.payload)
                      : os::minus(setup.payload, setup.ungrouped);
}

void take_setup_away(const LiveSandbox& sandbox, int version, os::CpuStat& stat) {
  const os::CpuTime setup = setup_counted(sandbox, version);
  if (stat.usage_us) *stat.usage_us -= std::min(*stat.usage_us, setup.sum());
  if (!stat.user_us || !stat.system_us) return;
  const os::CpuTime left = os::minus({*stat.user_us, *stat.system_us}, setup);
  stat.user_us = left.user_us;
  stat.system_us = left.system_us;
}

template <class Figure>
void fill(std::optional<Figure>& figure, const std::optional<Figure>& value) {
  if (!figure) figure = value;
}

/// Any v2 group of the run counts CPU time in cpu.stat, also without the cpu controller; v1 counts
/// it in "cpuacct" and throttling in "cpu", mostly one hierarchy, not always.
void add_cpu(const LiveSandbox& sandbox, int version, os::CpuStat& all) {
  for (const char* name : {"cpu", "cpuacct", ""}) {
    if (sandbox.cgroup_version(name) != version) continue;
    os::CpuStat stat = os::read_cpu_stat(sandbox.cgroup_fd(name), version);
    take_setup_away(sandbox, version, stat);
    fill(all.usage_us, stat.usage_us);
    fill(all.user_us, stat.user_us);
    fill(all.system_us, stat.system_us);
    fill(all.throttled_us, stat.throttled_us);
  }
}

/// Of the run's v2 group, whichever controllers it has; v1 has no such figures.
void read_pressure(const LiveSandbox& sandbox, Usage& usage) {
  const int folder = sandbox.cgroup_fd("");
  const auto of = [folder](const char* what) {
    const os::PressureStat stat = os::read_pressure(folder, what);
    return Pressure{stat.some_us, stat.full_us};
  };
  usage.cpu_pressure = of("cpu");
  usage.memory_pressure = of("memory");
  usage.io_pressure = of("io");
}

Usage read_counters(const LiveSandbox& sandbox) {
  Usage usage;
  for (const int version : {1, 2}) add_final_counters(sandbox, version, usage);
  return usage;
}

}  // namespace

os::CpuTime without_setup(const LiveSandbox& sandbox, const os::CpuTime& tree) {
  const launch::SetupTime setup = sandbox.setup_time();
  return os::minus(tree, os::plus(setup.init, setup.payload));
}

std::optional<std::uint64_t> cpu_used_us(const LiveSandbox& sandbox) {
  os::CpuStat cpu;
  for (const int version : {1, 2}) add_cpu(sandbox, version, cpu);
  return cpu.usage_us;
}

std::optional<std::uint64_t> oom_kills(const LiveSandbox& sandbox) {
  return os::read_oom_kills(sandbox.cgroup_fd("memory"), sandbox.cgroup_version("memory"));
}

Usage read_usage(const LiveSandbox& sandbox) {
  Usage usage = read_counters(sandbox);
  usage.memory_now =
      os::read_memory_now(sandbox.cgroup_fd("memory"), sandbox.cgroup_version("memory"));
  usage.pids_now = without_ours(sandbox, os::read_pids_now(sandbox.cgroup_fd("pids")),
                                sandbox.cgroup_version("pids"));
  read_pressure(sandbox, usage);
  return usage;
}

void add_final_counters(const LiveSandbox& sandbox, int version, Usage& usage) {
  const auto folder = [&](const char* name) {
    return sandbox.cgroup_version(name) == version ? sandbox.cgroup_fd(name) : -1;
  };
  os::CpuStat cpu;
  add_cpu(sandbox, version, cpu);
  fill(usage.cpu_user_us, cpu.user_us);
  fill(usage.cpu_system_us, cpu.system_us);
  fill(usage.cpu_throttled_us, cpu.throttled_us);
  const os::MemoryStat memory = os::read_memory_stat(folder("memory"), version);
  fill(usage.memory_peak, memory.peak_bytes);
  fill(usage.oom_kills, memory.oom_kills);
  fill(usage.memory_high_events, memory.high_events);
  fill(usage.memory_limit_reached, memory.limit_reached);
  const os::PidsStat pids = os::read_pids_stat(folder("pids"), version);
  fill(usage.pids_peak, without_ours(sandbox, pids.peak, version));
  fill(usage.pids_limit_hits, pids.limit_hits);
  const os::IoStat bytes = os::read_io_stat(folder(version == 2 ? "io" : "blkio"), version);
  fill(usage.io_read, bytes.read_bytes);
  fill(usage.io_written, bytes.written_bytes);
}

Usage complete(Usage counted, const LiveSandbox& sandbox, bool all) {
  if (all) read_pressure(sandbox, counted);
  if (!counted.cpu_user_us || !counted.cpu_system_us) {
    const os::CpuTime used = without_setup(sandbox, os::cpu_time(sandbox.tree_usage()));
    counted.cpu_user_us = used.user_us;
    counted.cpu_system_us = used.system_us;
  }
  return counted;
}

void add_sampled(Usage& usage, const os::CpuTime& seen) {
  if (usage.cpu_user_us.value_or(0) + usage.cpu_system_us.value_or(0) >= seen.sum()) return;
  usage.cpu_user_us = seen.user_us;
  usage.cpu_system_us = seen.system_us;
}

}  // namespace sbx::supervise
