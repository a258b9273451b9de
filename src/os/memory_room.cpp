#include "os/memory_room.hpp"

#include <algorithm>
#include <optional>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "os/cgroup_file.hpp"
#include "os/cgroup_find.hpp"

namespace sbx::os {
namespace {

struct Names {
  const char* limit;
  const char* used;
  std::string_view cached;  ///< a line of memory.stat
};
constexpr Names kUnified{"memory.max", "memory.current", "inactive_file"};
constexpr Names kV1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

std::optional<std::uint64_t> number_in(const std::string& path) {
  return parse_number<std::uint64_t>(trim(read_kernel_text(path)));
}

/// The number behind `name` at a line's start, whatever stands between.
std::uint64_t field(std::string_view text, std::string_view name) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(name)) continue;
    std::string_view rest = line.substr(name.size());
    if (rest.empty() || (rest.front() != ' ' && rest.front() != ':')) continue;
    rest = trim(rest.substr(1));
    return parse_number<std::uint64_t>(rest.substr(0, rest.find(' '))).value_or(0);
  }
  return 0;
}

/// What the group in `folder` and each above it leave.
MemoryRoom below_groups(MemoryRoom room, const OwnGroup& own) {
  const Names& names = own.version == 2 ? kUnified : kV1;
  for (std::string group = own.group;; group.resize(group.rfind('/'))) {
    const std::string folder = cgroup_folder(own.mount, group) + "/";
    const auto limit = number_in(folder + names.limit);
    const auto used = number_in(folder + names.used);
    if (limit && used)
      room = within(room, *limit, *used,
                    field(read_kernel_text(folder + "memory.stat"), names.cached));
    if (group.empty() || group == "/") return room;
  }
}

}  // namespace

MemoryRoom parse_meminfo(std::string_view meminfo) {
  constexpr std::uint64_t kKib = 1024;
  return {field(meminfo, "MemTotal") * kKib, field(meminfo, "MemAvailable") * kKib};
}

MemoryRoom within(MemoryRoom room, std::uint64_t limit, std::uint64_t used,
                  std::uint64_t reclaimable) {
  const std::uint64_t held = used - std::min(used, reclaimable);
  room.total = std::min(room.total, limit);
  room.available = std::min(room.available, limit - std::min(limit, held));
  return room;
}

MemoryRoom memory_room() {
  MemoryRoom room = parse_meminfo(read_kernel_text("/proc/meminfo"));
  for (const OwnGroup& own :
       own_groups(read_kernel_text("/proc/self/mountinfo"), read_kernel_text("/proc/self/cgroup")))
    if (own.version == 2 || std::ranges::find(own.controllers, "memory") != own.controllers.end())
      room = below_groups(room, own);
  return room;
}

}  // namespace sbx::os
