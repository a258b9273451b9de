// Counters of one cgroup, read below its open folder: strict parsing, bounded reads, and nullopt
// for whatever this kernel or hierarchy does not count. Runs in the supervisor.
#include "os/cgroup_stats.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/quantity.hpp"
#include "base/take.hpp"
#include "os/fd.hpp"

namespace sbx::os {
namespace {

using Figure = std::optional<std::uint64_t>;

constexpr const char* kEvents = "memory.events";
constexpr std::size_t kMaxFile = 64UZ * 1024;  // io.stat has a line a device; nothing else is long

std::optional<std::string> read_file(int dir_fd, const char* name) {
  if (dir_fd < 0) return std::nullopt;
  const UniqueFd file(openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return std::nullopt;
  std::string text;
  char chunk[4096];
  while (true) {
    const ssize_t got = read(file.get(), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    text.append(chunk, static_cast<std::size_t>(got));
    if (text.size() > kMaxFile) return std::nullopt;
  }
}

Figure to_number(std::string_view text) { return parse_number<std::uint64_t>(text); }

/// A file that holds one number and a newline.
Figure read_number(int dir_fd, const char* name) {
  const auto text = read_file(dir_fd, name);
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  return to_number(take(rest, '\n'));
}

Figure read_keyed(int dir_fd, const char* name, std::string_view key) {
  const auto text = read_file(dir_fd, name);
  return text ? keyed_figure(*text, key) : std::nullopt;
}

Figure divided(Figure figure, std::uint64_t by) {
  if (figure) *figure /= by;
  return figure;
}

/// "some avg10=0.00 avg60=0.00 avg300=0.00 total=7": the total, of the line that starts with `who`.
Figure pressure_total(std::string_view text, std::string_view who) {
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    if (take(line, ' ') != who) continue;
    while (!line.empty()) {
      std::string_view value = take(line, ' ');
      if (take(value, '=') == "total") return to_number(value);
    }
  }
  return std::nullopt;
}

/// v2 io.stat: "8:0 rbytes=1 wbytes=2 rios=...", a line a device. No line means no traffic.
IoStat sum_io_stat(std::string_view text) {
  std::uint64_t read_bytes = 0;
  std::uint64_t written = 0;
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    take(line, ' ');
    while (!line.empty()) {
      std::string_view value = take(line, ' ');
      const std::string_view key = take(value, '=');
      if (key != "rbytes" && key != "wbytes") continue;
      const Figure bytes = to_number(value);
      if (!bytes) return {};
      (key == "rbytes" ? read_bytes : written) += *bytes;
    }
  }
  return {read_bytes, written};
}

/// v1 counts no kills for a group's own limit, and failcnt of memory with swap stays 0 on Linux
/// 6.18; but nobody is killed for it who has not been within an allocation of it: of up to eight
/// pages, for which the kernel still kills (PAGE_ALLOC_COSTLY_ORDER).
std::optional<bool> reached_limit(Figure peak, Figure limit) {
  constexpr std::uint64_t kAllocation = std::uint64_t{8} * 64 * 1024;  // of the largest pages
  if (!peak || !limit) return std::nullopt;
  return *peak + kAllocation >= *limit;
}

/// v1 blkio.throttle.io_service_bytes_recursive: "8:0 Read 1", "8:0 Write 2", ..., "Total 3".
IoStat sum_blkio(std::string_view text) {
  std::uint64_t read_bytes = 0;
  std::uint64_t written = 0;
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    take(line, ' ');
    const std::string_view operation = take(line, ' ');
    if (operation != "Read" && operation != "Write") continue;
    const Figure bytes = to_number(line);
    if (!bytes) return {};
    (operation == "Read" ? read_bytes : written) += *bytes;
  }
  return {read_bytes, written};
}

}  // namespace

CpuStat read_cpu_stat(int dir_fd, int version) {
  CpuStat stat;
  if (version == 2) {
    const auto text = read_file(dir_fd, "cpu.stat");
    if (!text) return stat;
    stat.usage_us = keyed_figure(*text, "usage_usec");
    stat.user_us = keyed_figure(*text, "user_usec");
    stat.system_us = keyed_figure(*text, "system_usec");
    stat.throttled_us = keyed_figure(*text, "throttled_usec");
    return stat;
  }
  // v1 keeps time used (cpuacct) and throttling (cpu) in two controllers, in nanoseconds; the
  // folder may belong to either or to both, so each file may be missing.
  stat.usage_us = divided(read_number(dir_fd, "cpuacct.usage"), 1000);
  stat.user_us = divided(read_number(dir_fd, "cpuacct.usage_user"), 1000);
  stat.system_us = divided(read_number(dir_fd, "cpuacct.usage_sys"), 1000);
  // The two parts are sampled at the clock's ticks, the sum is not: it says how much, they how it
  // divides (v2 does the same, kernel/sched/cputime.c, cputime_adjust()).
  if (stat.usage_us && stat.user_us && stat.system_us) {
    const double parts = static_cast<double>(*stat.user_us + *stat.system_us);
    const double share = parts > 0 ? static_cast<double>(*stat.user_us) / parts : 1;
    stat.user_us = static_cast<std::uint64_t>(static_cast<double>(*stat.usage_us) * share);
    stat.system_us = *stat.usage_us - *stat.user_us;
  }
  stat.throttled_us = divided(read_keyed(dir_fd, "cpu.stat", "throttled_time"), 1000);
  return stat;
}

MemoryStat read_memory_stat(int dir_fd, int version) {
  MemoryStat stat;
  if (version == 2) {
    stat.peak_bytes = read_number(dir_fd, "memory.peak");  // Linux 5.19
    if (const auto events = read_file(dir_fd, kEvents)) {
      stat.oom_kills = keyed_figure(*events, "oom_kill");
      stat.high_events = keyed_figure(*events, "high");
      if (const Figure refused = keyed_figure(*events, "oom")) stat.limit_reached = *refused > 0;
    }
    return stat;
  }
  stat.peak_bytes = read_number(dir_fd, "memory.max_usage_in_bytes");
  stat.oom_kills = read_oom_kills(dir_fd, version);
  if (stat.oom_kills.value_or(0) == 0) return stat;  // three files that most runs need not read
  stat.limit_reached = reached_limit(stat.peak_bytes, read_number(dir_fd, "memory.limit_in_bytes"));
  // With swap the sum is charged first, and may be what fails (mm/memcontrol.c,
  // try_charge_memcg()).
  if (stat.limit_reached == false)
    stat.limit_reached = reached_limit(read_number(dir_fd, "memory.memsw.max_usage_in_bytes"),
                                       read_number(dir_fd, "memory.memsw.limit_in_bytes"))
                             .value_or(false);
  return stat;
}

std::optional<std::uint64_t> read_oom_kills(int dir_fd, int version) {
  // v1: Linux 4.13. Not memory.failcnt: that counts reclaim at the limit too, which ends nobody.
  return read_keyed(dir_fd, version == 2 ? kEvents : "memory.oom_control", "oom_kill");
}

Figure read_memory_now(int dir_fd, int version) {
  return read_number(dir_fd, version == 2 ? "memory.current" : "memory.usage_in_bytes");
}

Figure read_pids_now(int dir_fd) { return read_number(dir_fd, "pids.current"); }

PidsStat read_pids_stat(int dir_fd, int version) {
  (void)version;  // the same files in both; v1 has pids.events since 4.9, pids.peak came with 6.1
  PidsStat stat;
  stat.peak = read_number(dir_fd, "pids.peak");
  stat.limit_hits = read_keyed(dir_fd, "pids.events", "max");
  return stat;
}

IoStat read_io_stat(int dir_fd, int version) {
  const bool v2 = version == 2;
  const auto text = read_file(dir_fd, v2 ? "io.stat" : "blkio.throttle.io_service_bytes_recursive");
  if (!text) return {};
  return v2 ? sum_io_stat(*text) : sum_blkio(*text);
}

PressureStat read_pressure(int dir_fd, std::string_view of) {
  // Where the kernel keeps no account (psi=0), the file is missing or refuses to be read.
  const auto text = read_file(dir_fd, std::string(of).append(".pressure").c_str());
  if (!text) return {};
  return {pressure_total(*text, "some"), pressure_total(*text, "full")};  // cpu: full since 5.13
}

std::optional<std::uint64_t> keyed_figure(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    if (take(line, ' ') == key) return to_number(line);
  }
  return std::nullopt;
}

}  // namespace sbx::os
