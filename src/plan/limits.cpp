// From the profile's limits to cgroups: which hierarchy, which files, which values.
#include <algorithm>
#include <cmath>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "plan/builder.hpp"

namespace sbx::plan {
namespace {

constexpr std::uint64_t kCpuPeriodUs = 100'000;
constexpr std::uint64_t kMinCpuQuotaUs = 1'000;  // the kernel's own minimum

/// One limit that a controller has to enforce: the settings differ between v1 and v2.
struct Wanted {
  std::string key;   ///< in the profile: "limits.memory"
  std::string name;  ///< in the result's `required`: "memory"
  std::string v1;    ///< controller there
  std::string v2;
  std::vector<CgroupSetting> v1_settings;
  std::vector<CgroupSetting> v2_settings;
};

std::vector<std::string> writable_devices(const Builder& b) {
  std::vector<std::string> devices;
  const auto note = [&](const std::string& source) {
    const auto found = b.facts.sources.find(source);
    if (found == b.facts.sources.end() || found->second.device.empty()) return;
    if (std::ranges::find(devices, found->second.device) == devices.end())
      devices.push_back(found->second.device);
  };
  if (b.profile.workspace.mode == profile::WorkspaceMode::rw) note(b.profile.workspace.source);
  for (const profile::Mount& mount : b.profile.mounts)
    if (const auto* bind = std::get_if<profile::BindMount>(&mount.what))
      if (bind->writable) note(bind->source);
  return devices;
}

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
    wanted.push_back(std::move(memory));
  } else if (limits.swap && b.facts.swap_accounting && b.origin_of("limits.swap") != Origin{}) {
    wanted.push_back({"limits.swap",
                      "swap",
                      "memory",
                      "memory",
                      {},
                      {{"memory.swap.max", std::to_string(*limits.swap)}}});
  }
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
  if (limits.cpu) wanted.push_back({"limits.cpu", "cpu-time", "cpuacct", "cpu", {}, {}});
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
  if (!io.any()) return;
  Wanted limit{"limits.io", "io", "blkio", "io", {}, {}};
  struct Part {
    const std::optional<std::uint64_t>& value;
    const char* v1;
    const char* v2;
  };
  for (const std::string& device : writable_devices(b)) {
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

std::vector<Wanted> wanted_limits(const Builder& b) {
  std::vector<Wanted> wanted;
  want_memory(b, wanted);
  // One more for init, which is no process of the payload's.
  if (b.profile.limits.pids) {
    const std::string count = std::to_string(*b.profile.limits.pids + 1);
    wanted.push_back(
        {"limits.pids", "pids", "pids", "pids", {{"pids.max", count}}, {{"pids.max", count}}});
  }
  want_cpu(b, wanted);
  want_io(b, wanted);
  return wanted;
}

/// The writable home of a controller; v2 first, because clone3 can put init there directly.
const CgroupController* find_controller(const Builder& b, const Wanted& limit) {
  for (const int version : {2, 1})
    for (const CgroupController& controller : b.facts.controllers)
      if (controller.version == version && controller.writable &&
          controller.name == (version == 1 ? limit.v1 : limit.v2))
        return &controller;
  return nullptr;
}

/// Adds the limit to the run's group in that hierarchy, or starts one.
void place(Builder& b, const Wanted& limit, const CgroupController& home) {
  const auto& settings = home.version == 1 ? limit.v1_settings : limit.v2_settings;
  for (Step& step : b.plan.steps) {
    auto* group = std::get_if<MakeCgroup>(&step.action);
    if (group == nullptr || group->mount != home.mount || group->parent != home.group) continue;
    if (std::ranges::find(group->controllers, home.name) == group->controllers.end())
      group->controllers.push_back(home.name);
    group->settings.insert(group->settings.end(), settings.begin(), settings.end());
    step.reason += ", " + limit.key;
    return;
  }
  b.add(home.version == 1 ? Phase::attend : Phase::host,
        MakeCgroup{
            home.version, {home.name}, home.mount, home.group, "sbx-" + b.plan.run_id, settings},
        limit.key, limit.key);
}

Error missing_controllers(const Builder& b, const std::vector<Wanted>& missing) {
  std::vector<std::string> keys;
  std::vector<std::string> controllers;
  for (const Wanted& limit : missing) {
    keys.push_back(limit.key + " (" + b.written_at(limit.key) + ")");
    if (std::ranges::find(controllers, limit.v2) == controllers.end())
      controllers.push_back(limit.v2);
  }
  return {.kind = ErrorKind::host,
          .what = "this host gives us no cgroup for " + join(keys, ", ") + ": no group with the " +
                  (controllers.size() == 1 ? "controller " : "controllers ") +
                  join(controllers, ", ") + " is writable here",
          .hint =
              "start sbx as root or in a delegated group (systemd-run --user --scope -p "
              "Delegate=yes sbx ...), or go on without these limits: --degrade cgroup"};
}

/// Without swap accounting the limit holds only where there is no swap at all.
Result<void> check_swap(Builder& b) {
  if (!b.profile.limits.swap || b.facts.swap_accounting || !b.facts.has_swap) return {};
  b.plan.isolation.required.emplace_back("swap");
  if (b.degrades("cgroup")) {
    b.plan.isolation.degraded.emplace_back("swap");
    return {};
  }
  return std::unexpected(Error{
      .kind = ErrorKind::host,
      .what = "limits.swap (" + b.written_at("limits.swap") +
              ") cannot be enforced: this kernel does not account for swap, and swap is on",
      .hint = "boot with swapaccount=1, switch swap off, write `swap: none` to allow it, or go on "
              "without: --degrade cgroup"});
}

}  // namespace

Result<void> plan_cgroups(Builder& b) {
  SBX_CHECK(check_swap(b));
  std::vector<Wanted> missing;
  int version = 0;
  for (const Wanted& limit : wanted_limits(b)) {
    b.plan.isolation.required.push_back(limit.name);
    if (const CgroupController* home = find_controller(b, limit)) {
      place(b, limit, *home);
      version = std::max(version, home->version == 1 ? 1 : 2);
      if (home->version == 1) b.plan.isolation.tier = "hybrid";
      b.plan.isolation.enforced.push_back(limit.name);
    } else {
      missing.push_back(limit);
    }
  }
  if (version != 0) b.plan.isolation.cgroup = b.plan.isolation.tier == "hybrid" ? "v1" : "v2";
  if (missing.empty()) return {};
  if (!b.degrades("cgroup")) return std::unexpected(missing_controllers(b, missing));
  b.plan.isolation.tier = "rlimit";
  for (const Wanted& limit : missing) b.plan.isolation.degraded.push_back(limit.name);
  return {};
}

}  // namespace sbx::plan
