#include "os/scratch.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "base/fail.hpp"
#include "os/folder.hpp"
#include "os/remove_tree.hpp"

namespace sbx::os {
namespace {

constexpr mode_t kMode = 0700;

UniqueFd open_folder(const char* path) noexcept {
  return UniqueFd(::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool is_theirs(int folder, uid_t first, uid_t count) {
  struct ::stat what{};
  return ::fstat(folder, &what) == 0 && what.st_uid >= first && what.st_uid - first < count &&
         (what.st_mode & 07777U) == kMode;
}

}  // namespace

SysResult<UniqueFd> make_scratch(const char* path) noexcept {
  for (;;) {
    if (::mkdir(path, kMode) != 0) return fail();
    UniqueFd folder = open_folder(path);
    // Not at once: a sweeper that came between holds it until it has removed it.
    const bool locked = folder.valid() && ::flock(folder.get(), LOCK_EX) == 0;
    if (locked && is_named(AT_FDCWD, path, folder.get())) return folder;
    const int error = errno;
    const bool swept = locked || error == ENOENT;
    if (swept) continue;
    (void)::rmdir(path);
    return std::unexpected(Errno{error});
  }
}

SysResult<void> remove_scratch(int folder, const char* path) noexcept {
  // A payload with a user id of its own may have closed it.
  if (::fchmod(folder, kMode) != 0) return fail();
  SBX_CHECK(empty_folder(folder));
  if (::rmdir(path) != 0) return fail();
  return {};
}

void sweep_scratches(const std::string& base, std::string_view prefix, uid_t first, uid_t count) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(base.c_str()), &::closedir);
  if (!listing) return;
  while (const ::dirent* const entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(prefix)) continue;
    const std::string path = std::string(base).append(name);
    // What is judged and what is emptied is the same open folder, whatever the name means by then.
    const UniqueFd folder = open_folder(path.c_str());
    if (!folder.valid() || !is_theirs(folder.get(), first, count)) continue;
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;  // somebody's
    if (!is_named(AT_FDCWD, path.c_str(), folder.get())) continue;
    (void)remove_scratch(folder.get(), path.c_str());
  }
}

}  // namespace sbx::os
