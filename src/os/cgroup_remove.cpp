// Removes cgroups, and sweeps those whose supervisor was killed. Runs in the supervisor.
#include "os/cgroup_remove.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "os/cgroup.hpp"
#include "os/entries.hpp"
#include "os/fd.hpp"
#include "os/folder.hpp"

namespace sbx::os {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kPrefix = "sbx-";
constexpr auto kRemoveWithin = std::chrono::seconds(1);

/// Until something changes in the group, or `wait` has passed: v2 says so through cgroup.events.
void await_change(const UniqueFd& events, std::chrono::microseconds wait) {
  char text[256];
  pollfd watched{events.get(), POLLPRI, 0};
  // A read arms the next notification (cgroup-v2.rst, "populated").
  if (events.valid() && pread(events.get(), text, sizeof text, 0) < 0) watched.fd = -1;
  const timespec limit{0, static_cast<long>(wait.count()) * 1000};
  ppoll(&watched, 1, &limit, nullptr);
}

}  // namespace

// Whoever is left is never moved to the parent, out of every limit. EBUSY lasts for a moment after
// the last process ended, while the kernel takes it apart.
void remove_cgroup(int parent_fd, int dir_fd, const char* name, int version) {
  const auto deadline = Clock::now() + kRemoveWithin;
  auto wait = std::chrono::microseconds(100);
  UniqueFd events;
  while (unlinkat(parent_fd, name, AT_REMOVEDIR) != 0) {
    if (errno != EBUSY || Clock::now() >= deadline) return;  // a later run sweeps it
    if (version == 2 && !events.valid() && dir_fd >= 0)
      events.reset(openat(dir_fd, "cgroup.events", O_RDONLY | O_CLOEXEC));
    await_change(events, wait);
    wait = std::min(wait * 2, std::chrono::microseconds(50'000));
  }
}

int sweep_cgroups(int parent_fd, std::span<const std::string> live) {
  int removed = 0;
  const auto look = [&](const ::dirent64& entry) -> SysResult<void> {
    const std::string_view name = entry.d_name;
    if (!name.starts_with(kPrefix) || entry.d_type != DT_DIR) return {};
    if (std::ranges::binary_search(live, name.substr(kPrefix.size()))) return {};
    const UniqueFd dir(
        openat(parent_fd, entry.d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    // Between its mkdir and its flock a new group looks abandoned: its maker then makes it again.
    if (!dir.valid() || flock(dir.get(), LOCK_EX | LOCK_NB) != 0) return {};
    // Another sweep may have removed it since we opened it: what has that name now is somebody's.
    if (!is_named(parent_fd, entry.d_name, dir.get())) return {};
    if (unlinkat(parent_fd, entry.d_name, AT_REMOVEDIR) == 0) ++removed;  // EBUSY: populated
    return {};
  };
  // What cannot be listed is left to a later run.
  (void)each_entry(parent_fd, look);
  return removed;
}

}  // namespace sbx::os
