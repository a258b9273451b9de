#include "os/scratch.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "os/remove_tree.hpp"

namespace sbx::os {
namespace {

std::unexpected<Errno> fail() noexcept { return std::unexpected(Errno{errno}); }

UniqueFd open_folder(const char* path) noexcept {
  return UniqueFd(::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool belongs_to(int folder, uid_t first, uid_t count) {
  struct ::stat what{};
  return ::fstat(folder, &what) == 0 && what.st_uid >= first && what.st_uid - first < count;
}

}  // namespace

SysResult<UniqueFd> make_scratch(const char* path) noexcept {
  for (;;) {
    if (::mkdir(path, 0700) != 0) return fail();
    UniqueFd folder = open_folder(path);
    if (!folder.valid() && errno != ENOENT) return fail();
    if (!folder.valid()) continue;  // swept already
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0 && errno != EWOULDBLOCK) return fail();
    // A sweeper may have taken the lock, or the folder, before we had the one or after the other.
    struct ::stat held{};
    struct ::stat named{};
    if (::fstat(folder.get(), &held) != 0) return fail();
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 && ::lstat(path, &named) == 0 &&
        named.st_ino == held.st_ino && named.st_dev == held.st_dev)
      return folder;
  }
}

SysResult<void> remove_scratch(int folder, const char* path) noexcept {
  SBX_CHECK(empty_folder(folder));
  if (::rmdir(path) != 0) return fail();
  return {};
}

void sweep_scratch(const std::string& path) {
  const UniqueFd folder = open_folder(path.c_str());
  if (folder.valid() && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0)
    (void)remove_scratch(folder.get(), path.c_str());
}

void sweep_scratches(const std::string& base, std::string_view prefix, uid_t first, uid_t count) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(base.c_str()), &::closedir);
  if (!listing) return;
  while (const ::dirent* const entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(prefix)) continue;
    const std::string path = std::string(base).append(name);
    const UniqueFd folder = open_folder(path.c_str());
    if (folder.valid() && belongs_to(folder.get(), first, count)) sweep_scratch(path);
  }
}

}  // namespace sbx::os
