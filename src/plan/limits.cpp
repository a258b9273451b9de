// From the profile's limits to what controllers have to enforce: which files, which values.
#include <algorithm>
#include <cmath>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "plan/wanted_limits.hpp"

namespace sbx::plan {
namespace {

constexpr std::uint64_t kCpuPeriodUs = 100'000;
constexpr std::uint64_t kMinCpuQuotaUs = 1'000;  // the kernel's own minimum
// Everybody's share where nobody says otherwise, on v2 and on v1, and the least that v1 takes.
constexpr std::uint64_t kDefaultWeight = 100;
constexpr std::uint64_t kDefaultShares = 1024;
constexpr std::uint64_t kMinShares = 2;

void want_memory(const Builder& b, std::vector<Wanted>& wanted) {
  const profile::Limits& limits = b.profile.limits;
  if (limits.memory) {
    const std::string bytes = std::to_string(*limits.memory);
    Wanted memory{
        "limits.memory",        "memory", "memory", "memory", {{"memory.limit_in_bytes", bytes}},
        {{"memory.max", bytes}}};
    if (limits.swap && b.facts.swap_accounting) {
      // v1 limits memory and swap together, and wants the memory limit written first.
      memory.v1_settings.push_back(
          {"memory.memsw.limit_in_bytes", std::to_string(*limits.memory + *limits.swap)});
      memory.v2_settings.push_back({"memory.swap.max", std::to_string(*limits.swap)});
    }
    // v1 has a counter of its own for what sockets buffer, and it is off until it has a limit
    // (cgroup-v1/memory.rst, 2.7.2): a process could fill the host's memory with unread packets.
    constexpr std::uint64_t kPart = 4;
    if (b.facts.socket_accounting)
      memory.v1_settings.push_back(
          {"memory.kmem.tcp.limit_in_bytes", std::to_string(*limits.memory / kPart)});
    memory.v1_approximate = !b.facts.socket_accounting;
    wanted.push_back(std::move(memory));
  } else if (limits.swap && b.facts.swap_accounting && b.origin_of("limits.swap") != Origin{}) {
    // v1 limits only the sum of both, and so nothing where memory has no limit; its group still
    // counts, and tells whose limit it was when the kernel kills.
    const bool chosen = b.is_chosen("limits.swap");
    Wanted swap{"limits.swap", "swap", chosen ? "" : "memory",
                "memory",      {},     {{"memory.swap.max", std::to_string(*limits.swap)}}};
    swap.needless = swap.v1_counts_only = !chosen;
    wanted.push_back(std::move(swap));
  }
}

/// memory.soft_limit_in_bytes of v1 does nothing until the whole host is short of memory
/// (cgroup-v1/memory.rst, 7), so it is no stand-in.
void want_memory_high(const Builder& b, std::vector<Wanted>& wanted) {
  const auto& high = b.profile.limits.memory_high;
  if (!high) return;
  Wanted limit{"limits.memory_high",
               "memory-high",
               "",
               "memory",
               {},
               {{"memory.high", std::to_string(*high)}}};
  limit.v2_watch = &Supervision::tell_memory_high;
  wanted.push_back(std::move(limit));
}

void want_oom_kill(const Builder& b, std::vector<Wanted>& wanted) {
  if (b.profile.limits.oom_kill == profile::OomKill::process) return;
  Wanted limit{"limits.oom_kill", "oom-kill", "memory", "memory", {}, {{"memory.oom.group", "1"}}};
  limit.v1_watch = &Supervision::end_tree_on_oom;
  wanted.push_back(std::move(limit));
}

void want_cpu_weight(const Builder& b, std::vector<Wanted>& wanted) {
  const auto& weight = b.profile.limits.cpu_weight;
  if (!weight) return;
  const std::uint64_t shares = std::max(kMinShares, *weight * kDefaultShares / kDefaultWeight);
  wanted.push_back({"limits.cpu_weight",
                    "cpu-weight",
                    "cpu",
                    "cpu",
                    {{"cpu.shares", std::to_string(shares)}},
                    {{"cpu.weight", std::to_string(*weight)}}});
}

void want_cpu(const Builder& b, std::vector<Wanted>& wanted) {
  const profile::Limits& limits = b.profile.limits;
  if (limits.cpus) {
    const auto quota = std::max(
        kMinCpuQuotaUs, static_cast<std::uint64_t>(std::llround(*limits.cpus * kCpuPeriodUs)));
    wanted.push_back({"limits.cpus",
                      "cpus",
                      "cpu",
                      "cpu",
                      {{"cpu.cfs_period_us", std::to_string(kCpuPeriodUs)},
                       {"cpu.cfs_quota_us", std::to_string(quota)}},
                      {{"cpu.max", std::to_string(quota) + " " + std::to_string(kCpuPeriodUs)}}});
  }
  // Every v2 group counts CPU time, without any controller (cgroup-v2.rst, "cpu.stat").
  if (limits.cpu) wanted.push_back({"limits.cpu", "cpu-time", "cpuacct", "", {}, {}});
  if (limits.cpuset)
    wanted.push_back({"limits.cpuset",
                      "cpuset",
                      "cpuset",
                      "cpuset",
                      {{"cpuset.cpus", *limits.cpuset}},
                      {{"cpuset.cpus", *limits.cpuset}}});
}

void want_io(const Builder& b, std::vector<Wanted>& wanted) {
  const profile::IoLimits& io = b.profile.limits.io;
  const Disks disks = disks_of(b);
  if (!io.any() || !disks.unknown.empty()) return;
  Wanted limit{"limits.io", "io", "blkio", "io", {}, {}};
  struct Part {
    const std::optional<std::uint64_t>& value;
    const char* v1;
    const char* v2;
  };
  // Written pages go to the disk later, and v1 does not know whose they were
  // (blkio-controller.rst, "Writeback").
  limit.v1_approximate = io.write_bps || io.write_iops;
  for (const std::string& device : disks.devices) {
    std::string line = device;
    for (const Part& part : {Part{io.read_bps, "blkio.throttle.read_bps_device", "rbps"},
                             Part{io.write_bps, "blkio.throttle.write_bps_device", "wbps"},
                             Part{io.read_iops, "blkio.throttle.read_iops_device", "riops"},
                             Part{io.write_iops, "blkio.throttle.write_iops_device", "wiops"}}) {
      if (!part.value) continue;
      const std::string value = std::to_string(*part.value);
      limit.v1_settings.push_back({part.v1, std::string(device).append(" ").append(value)});
      line += std::string(" ") + part.v2 + "=" + value;
    }
    limit.v2_settings.push_back({"io.max", line});
  }
  wanted.push_back(std::move(limit));
}

/// Huge pages are no part of a group's memory (cgroup-v2.rst, "HugeTLB"), so a memory limit without
/// this one could be walked around wherever the host has some.
void want_no_hugetlb(const Builder& b, std::vector<Wanted>& wanted) {
  const bool known = !b.facts.huge_page_sizes.empty();
  if (!b.profile.limits.memory || (!known && !b.facts.has_huge_pages)) return;
  // Files of unknown names cannot be written: then no group will do.
  const std::string controller = known ? "hugetlb" : "hugetlb of unknown sizes";
  Wanted none{"limits.memory", "hugetlb", controller, controller, {}, {}};
  for (const std::string& size : b.facts.huge_page_sizes) {
    none.v1_settings.push_back({"hugetlb." + size + ".limit_in_bytes", "0"});
    none.v2_settings.push_back({"hugetlb." + size + ".max", "0"});
  }
  none.needless = !b.facts.has_huge_pages;
  none.by_filter = true;  // few hosts hand this controller down, systemd never does
  wanted.push_back(std::move(none));
}

}  // namespace

std::vector<Wanted> wanted_limits(const Builder& b) {
  std::vector<Wanted> wanted;
  want_memory(b, wanted);
  want_memory_high(b, wanted);
  want_oom_kill(b, wanted);
  // More for those of ours, which are no processes of the payload's.
  if (b.profile.limits.pids) {
    const std::string count = std::to_string(*b.profile.limits.pids);
    const std::uint64_t in_all = *b.profile.limits.pids + b.own_processes();  // are in it on v2
    wanted.push_back({"limits.pids",
                      "pids",
                      "pids",
                      "pids",
                      {{"pids.max", count}},
                      {{"pids.max", std::to_string(in_all)}}});
  }
  want_cpu(b, wanted);
  want_cpu_weight(b, wanted);
  want_io(b, wanted);
  want_no_hugetlb(b, wanted);
  return wanted;
}

}  // namespace sbx::plan
