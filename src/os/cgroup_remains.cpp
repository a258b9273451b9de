// Runs in the supervisor, and in `sbx ps`.
#include "os/cgroup_remains.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <string_view>

#include "os/cgroup_file.hpp"
#include "os/cgroup_find.hpp"
#include "os/entries.hpp"
#include "os/fd.hpp"
#include "os/folder.hpp"

namespace sbx::os {
namespace {

constexpr std::string_view kPrefix = "sbx-";
constexpr int kDeepest = 32;
constexpr int kMost = 20'000;  // groups to look at, a tenth of a second

struct Search {
  std::span<const std::string> runs;
  int left = kMost;
  int patience = 100;  ///< pauses, of a millisecond, while the kernel takes the last process apart
};

bool is_of(const Search& search, std::string_view name) {
  return name.starts_with(kPrefix) &&
         std::ranges::find(search.runs, name.substr(kPrefix.size())) != search.runs.end();
}

/// Somebody who holds the lock lives after all.
void remove_if_left(int parent, const char* name, const UniqueFd& group, Search& search) {
  constexpr ::timespec kPause{0, 1'000'000};
  if (::flock(group.get(), LOCK_EX | LOCK_NB) != 0 || !is_named(parent, name, group.get())) return;
  while (::unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno == EBUSY && search.patience-- > 0)
    (void)::nanosleep(&kPause, nullptr);
}

void look_below(int folder, Search& search, int depth) {
  const auto look = [&](const ::dirent64& entry) -> SysResult<void> {
    if (entry.d_type != DT_DIR || search.left-- <= 0) return {};
    const UniqueFd group(
        ::openat(folder, entry.d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!group.valid()) return {};
    if (is_of(search, entry.d_name))
      remove_if_left(folder, entry.d_name, group, search);
    else if (depth < kDeepest)
      look_below(group.get(), search, depth + 1);
    return {};
  };
  (void)each_entry(folder, look);
}

}  // namespace

void sweep_cgroups_of(std::span<const std::string> runs) {
  if (runs.empty()) return;
  Search search{runs};
  for (const CgroupMount& mount : parse_cgroup_mounts(read_kernel_text("/proc/self/mountinfo"))) {
    const UniqueFd top(::open(mount.point.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (top.valid()) look_below(top.get(), search, 0);
  }
}

}  // namespace sbx::os
