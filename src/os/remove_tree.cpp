#include "os/remove_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/fail.hpp"
#include "base/fixed_text.hpp"
#include "os/entries.hpp"
#include "os/fd.hpp"

namespace sbx::os {
namespace {

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

/// Moves the folder `name` of `from` up to `top` under a name that is free there. What it may take
/// the place of is an empty folder, which is to go as well: RENAME_NOREPLACE is nothing that every
/// file system knows (NFS).
SysResult<void> lift(int from, const char* name, int top, std::uint64_t& counter) noexcept {
  for (;;) {
    const auto target = FixedText<32>().add("lifted.").add(++counter);
    if (::renameat(from, name, top, target.c_str()) == 0) return {};
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) return fail();
  }
}

}  // namespace

SysResult<void> empty_folder(int folder) noexcept {
  std::uint64_t counter = 0;
  // A folder's folders are lifted up to the top one, so that no depth has to be walked.
  int left = 0;
  const auto flatten = [&](const ::dirent64& entry) noexcept -> SysResult<void> {
    const char* const name = entry.d_name;
    ++left;
    if (SBX_TRY(remove_entry(folder, name))) return {};
    const UniqueFd inner(::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!inner.valid()) return fail();
    int below = 0;
    const auto lift_one = [&](const ::dirent64& lifted) noexcept -> SysResult<void> {
      ++below;
      if (SBX_TRY(remove_entry(inner.get(), lifted.d_name))) return {};
      return lift(inner.get(), lifted.d_name, folder, counter);
    };
    do {
      below = 0;
      SBX_CHECK(each_entry(inner.get(), lift_one));
    } while (below > 0);
    if (::unlinkat(folder, name, AT_REMOVEDIR) != 0) return fail();
    return {};
  };
  do {
    left = 0;
    SBX_CHECK(each_entry(folder, flatten));
  } while (left > 0);
  return {};
}

void remove_folder(int parent, int folder, const char* name) noexcept {
  if (empty_folder(folder)) ::unlinkat(parent, name, AT_REMOVEDIR);
}

}  // namespace sbx::os
