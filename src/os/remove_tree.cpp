#include "os/remove_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>

#include "base/fixed_text.hpp"
#include "os/fd.hpp"

namespace sbx::os {
namespace {

std::unexpected<Errno> fail() noexcept { return std::unexpected(Errno{errno}); }

/// Calls `visit(name)` for each entry; returns how many there were.
template <class Visit>
SysResult<int> for_each(int folder, Visit visit) noexcept {
  alignas(::dirent64) char buffer[4096];
  int count = 0;
  if (::lseek(folder, 0, SEEK_SET) < 0) return fail();
  for (;;) {
    const long size = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer);
    if (size < 0) return fail();
    if (size == 0) return count;
    for (long at = 0; at < size;) {
      const auto* const entry = reinterpret_cast<const ::dirent64*>(buffer + at);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      ++count;
      SBX_CHECK(visit(entry->d_name));
    }
  }
}

/// Lets us into the folder `name`, which may be closed, and lets it be moved. What has become a
/// link in the meantime is not followed: chmod(2) by name would.
SysResult<void> open_up(int folder, const char* name) noexcept {
  const UniqueFd inner(::openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!inner.valid()) return fail();
  // No system call before Linux 6.6 changes the mode of what O_PATH gives, but by this name.
  const auto path = FixedText<32>().add("/proc/self/fd/").add(inner.get());
  if (::chmod(path.c_str(), 0700) != 0) return fail();
  return {};
}

/// A file, or a folder without anything in it: gone. false: a folder that has something.
SysResult<bool> remove_entry(int folder, const char* name) noexcept {
  if (::unlinkat(folder, name, 0) == 0) return true;
  if (errno != EISDIR) return fail();
  if (::unlinkat(folder, name, AT_REMOVEDIR) == 0) return true;
  if (errno != ENOTEMPTY && errno != EEXIST) return fail();
  SBX_CHECK(open_up(folder, name));
  return false;
}

/// Moves `name` of `from` up to `top` under a name that is free there.
SysResult<void> lift(int from, const char* name, int top, std::uint64_t& counter) noexcept {
  for (;;) {
    const auto target = FixedText<32>().add("lifted.").add(++counter);
    if (::syscall(SYS_renameat2, from, name, top, target.c_str(), RENAME_NOREPLACE) == 0) return {};
    if (errno != EEXIST) return fail();
  }
}

}  // namespace

SysResult<void> empty_folder(int folder) noexcept {
  std::uint64_t counter = 0;
  // A folder's folders are lifted up to the top one, so that no depth has to be walked.
  const auto flatten = [&](const char* name) noexcept -> SysResult<void> {
    if (SBX_TRY(remove_entry(folder, name))) return {};
    const UniqueFd inner(::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!inner.valid()) return fail();
    const auto lift_one = [&](const char* below) noexcept -> SysResult<void> {
      if (SBX_TRY(remove_entry(inner.get(), below))) return {};
      return lift(inner.get(), below, folder, counter);
    };
    for (int left = 1; left > 0;) left = SBX_TRY(for_each(inner.get(), lift_one));
    if (::unlinkat(folder, name, AT_REMOVEDIR) != 0) return fail();
    return {};
  };
  for (int left = 1; left > 0;) left = SBX_TRY(for_each(folder, flatten));
  return {};
}

}  // namespace sbx::os
