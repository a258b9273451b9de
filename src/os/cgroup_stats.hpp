// Reads a group's counters below an open folder; v1 and v2. A figure the host lacks is nullopt.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sbx::os {

struct CpuStat {
  std::optional<std::uint64_t> usage_us, user_us, system_us, throttled_us;
};
struct MemoryStat {
  std::optional<std::uint64_t> peak_bytes, oom_kills, high_events;
  /// Whether the group has come to its own limit. Kills without that are for the limit of a group
  /// above, or for want of memory on the host. On v1 looked for only where there were kills.
  std::optional<bool> limit_reached;
};
struct PidsStat {
  std::optional<std::uint64_t> peak, limit_hits;
};
struct IoStat {
  std::optional<std::uint64_t> read_bytes, written_bytes;
};
/// How long some, and how long all of the group's processes were held up for want of it, in total.
struct PressureStat {
  std::optional<std::uint64_t> some_us, full_us;
};

/// `dir_fd`: the group's open folder (-1 gives all nullopt); `version`: 1 or 2.
CpuStat read_cpu_stat(int dir_fd, int version);
MemoryStat read_memory_stat(int dir_fd, int version);
PidsStat read_pids_stat(int dir_fd, int version);
/// What is in use at this moment; the same file for pids in both versions.
std::optional<std::uint64_t> read_memory_now(int dir_fd, int version);
std::optional<std::uint64_t> read_pids_now(int dir_fd);
IoStat read_io_stat(int dir_fd, int version);
/// `of`: "cpu", "memory" or "io"; v2 alone has these files, also without that controller.
PressureStat read_pressure(int dir_fd, std::string_view of);

/// The kills alone, for who looks at them again and again.
std::optional<std::uint64_t> read_oom_kills(int dir_fd, int version);

/// The number behind `key` in lines of the form "key number".
std::optional<std::uint64_t> keyed_figure(std::string_view text, std::string_view key);

}  // namespace sbx::os
