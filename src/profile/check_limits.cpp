// Checks of the limits: amounts that nothing could run with, and limits that undo each other.
#include <array>
#include <utility>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "profile/checks.hpp"

namespace sbx::profile {
namespace {

/// What sbx has open in the command's place counts until the exec: 22 at most, with all that is
/// reported.
constexpr std::uint64_t kFewestFiles = 32;

void check_times(const Checker& c) {
  const Limits& limits = c.profile().limits;
  const std::array<std::pair<std::string_view, std::optional<Duration>>, 3> times{
      {{"limits.wall", limits.wall}, {"limits.cpu", limits.cpu}, {"limits.idle", limits.idle}}};
  for (const auto& [key, value] : times) {
    if (value && value->count() == 0)
      c.complain(key, '`' + std::string(key) + "` is 0, so nothing could run",
                 "write none to lift the limit");
  }
  for (const auto& [key, value] : times) {
    if (value && *value > kLongestTime)
      c.complain(key, '`' + std::string(key) + "` is longer than a hundred years",
                 "write none to lift the limit");
  }
  if (limits.grace > kLongestTime)
    c.complain("limits.grace", "`limits.grace` is longer than a hundred years");
  for (const auto& [key, value] :
       {std::pair{"namespaces.time.monotonic", c.profile().time.monotonic},
        std::pair{"namespaces.time.boottime", c.profile().time.boottime}}) {
    if (value && (*value > kLongestTime || *value < -kLongestTime))
      c.complain(key, '`' + std::string(key) + "` is more than a hundred years");
  }
}

void check_memory(const Checker& c) {
  const Limits& limits = c.profile().limits;
  for (const auto& [key, value] : {std::pair{"limits.memory", limits.memory},
                                   std::pair{"limits.memory_high", limits.memory_high}}) {
    if (value && *value < (Bytes{1} << 20U))
      c.complain(key, '`' + std::string(key) + "` is less than 1M, in which nothing can start",
                 "write none to lift the limit");
  }
  if (limits.memory && limits.memory_high && *limits.memory_high > *limits.memory &&
      c.is_sound("limits.memory"))
    c.complain("limits.memory_high",
               "`limits.memory_high` (" + format_bytes(*limits.memory_high) +
                   ") is more than `limits.memory` (" + format_bytes(*limits.memory) +
                   "), which ends the run first",
               "lower it, or raise `limits.memory` (its default is 512M)");
  if (!limits.memory && limits.oom_kill == OomKill::tree)
    c.complain("limits.oom_kill", "`limits.oom_kill` has no effect without `limits.memory`",
               "give `limits.memory` a size, or remove `limits.oom_kill`");
}

void check_amounts(const Checker& c) {
  const Limits& limits = c.profile().limits;
  if (limits.pids && *limits.pids == 0)
    c.complain("limits.pids", "`limits.pids` is 0, so nothing could run",
               "write none to lift the limit");
  // PID_MAX_LIMIT of the kernel
  if (limits.pids && *limits.pids > 4194304)
    c.complain("limits.pids", "`limits.pids` is more than the kernel's 4194304",
               "write none to lift the limit");
  if (limits.cpus && (*limits.cpus < 0.01 || *limits.cpus > 8192))
    c.complain("limits.cpus", "`limits.cpus` must be between 0.01 and 8192",
               "write none to lift the limit");
  // CGROUP_WEIGHT_MIN and CGROUP_WEIGHT_MAX of the kernel
  if (limits.cpu_weight && (*limits.cpu_weight < 1 || *limits.cpu_weight > 10000))
    c.complain("limits.cpu_weight", "`limits.cpu_weight` must be between 1 and 10000",
               "100 is as much as everybody else, 200 twice that");
  const IoLimits& io = limits.io;
  const std::array<std::pair<std::string_view, std::optional<std::uint64_t>>, 4> rates{
      {{"limits.io.read_bps", io.read_bps},
       {"limits.io.write_bps", io.write_bps},
       {"limits.io.read_iops", io.read_iops},
       {"limits.io.write_iops", io.write_iops}}};
  for (const auto& [key, value] : rates) {
    if (value && *value == 0)
      c.complain(key, '`' + std::string(key) + "` is 0", "write none to lift the limit");
  }
  const auto nofile = limits.rlimits.find("nofile");
  if (nofile != limits.rlimits.end() && nofile->second && *nofile->second < kFewestFiles)
    c.complain("limits.rlimits.nofile", "`limits.rlimits.nofile` must be at least " +
                                            std::to_string(kFewestFiles) +
                                            ", which the start of the command itself needs");
}

constexpr unsigned kMaxCpu = 8191;  // the kernel's largest CONFIG_NR_CPUS, less one

/// The kernel's list format: "0-3,8".
void check_cpuset(const Checker& c) {
  const std::optional<std::string>& cpuset = c.profile().limits.cpuset;
  if (!cpuset) return;
  bool good = true;
  for (const std::string_view range : split(*cpuset, ',')) {
    std::array<unsigned, 2> ends{};
    const std::vector<std::string_view> parts = split(range, '-');
    good = good && parts.size() <= 2;
    for (std::size_t i = 0; good && i < parts.size(); ++i) {
      const auto end = parse_number<unsigned>(parts[i]);
      good = end && *end <= kMaxCpu;
      ends[i] = end.value_or(0);
    }
    good = good && (parts.size() == 1 || ends[0] <= ends[1]);
  }
  if (!good)
    c.complain("limits.cpuset",
               "`limits.cpuset`: `" + printable(*cpuset, 60) + "` is no list of CPUs",
               "write it like \"0-3,8\"");
}

constexpr Check kChecks[] = {
    {"times", check_times},
    {"memory", check_memory},
    {"amounts", check_amounts},
    {"cpuset", check_cpuset},
};

}  // namespace

std::span<const Check> limit_checks() { return kChecks; }

}  // namespace sbx::profile
