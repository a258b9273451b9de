#include "os/host_path.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/text.hpp"
#include "os/fd.hpp"
#include "os/mount.hpp"

namespace sbx::os {
namespace {

constexpr int kMostEntries = 5000;
constexpr int kMostDepth = 32;

/// File systems of this machine's own disks and memory: others are asked for over a network, by a
/// program, or make their files up.
bool is_local(int fd) {
  constexpr std::array<long, 10> kLocal{EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
                                        F2FS_SUPER_MAGIC, TMPFS_MAGIC,     OVERLAYFS_SUPER_MAGIC,
                                        RAMFS_MAGIC,      SQUASHFS_MAGIC,  EROFS_SUPER_MAGIC_V1,
                                        0x2fc12fc1 /* ZFS */};
  struct ::statfs what{};
  return ::fstatfs(fd, &what) == 0 && std::ranges::find(kLocal, what.f_type) != kLocal.end();
}

bool is_open_to_all(const struct ::stat& what) {
  if (S_ISREG(what.st_mode)) return (what.st_mode & S_IROTH) != 0;
  return S_ISDIR(what.st_mode) && (what.st_mode & (S_IROTH | S_IXOTH)) == (S_IROTH | S_IXOTH);
}

struct CloseFolder {
  void operator()(::DIR* folder) const { ::closedir(folder); }
};

/// Every entry below the folder is open to all; links are only links. `left` counts down.
bool all_open(int folder_fd, int depth, int& left) {
  if (depth == 0 || !is_local(folder_fd)) return false;
  const int readable = ::openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<::DIR, CloseFolder> folder(readable < 0 ? nullptr : ::fdopendir(readable));
  if (folder == nullptr) return false;
  while (const ::dirent* const entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct ::stat what{};
    if (--left < 0 ||
        ::fstatat(readable, entry->d_name, &what, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) != 0)
      return false;
    if (S_ISLNK(what.st_mode)) continue;
    if (!is_open_to_all(what)) return false;
    if (!S_ISDIR(what.st_mode)) continue;
    const UniqueFd inner(
        ::openat(readable, entry->d_name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!inner.valid() || !all_open(inner.get(), depth - 1, left)) return false;
  }
  return true;
}

}  // namespace

PathStanding look_at_path(const std::string& path) {
  UniqueFd at(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct ::stat what{};
  if (!at.valid() || ::fstat(at.get(), &what) != 0) return PathStanding::private_;
  bool closed = false;  // to others: what is not in there is missing all the same
  for (const std::string_view name : split(path, '/')) {
    if (name.empty() || name == ".") continue;
    // Before the next component: it would be looked up there.
    if (!is_local(at.get())) return PathStanding::private_;
    closed = closed || (S_ISDIR(what.st_mode) && (what.st_mode & S_IXOTH) == 0);
    UniqueFd next(::openat(at.get(), std::string(name).c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!next.valid())
      return errno == ENOENT || errno == ENOTDIR ? PathStanding::absent : PathStanding::private_;
    at = std::move(next);
    if (::fstat(at.get(), &what) != 0 || S_ISLNK(what.st_mode)) return PathStanding::private_;
  }
  if (closed || !is_open_to_all(what) || !is_local(at.get())) return PathStanding::private_;
  int left = kMostEntries;
  if (S_ISDIR(what.st_mode) && !all_open(at.get(), kMostDepth, left)) return PathStanding::private_;
  return PathStanding::shared;
}

bool is_missing(const std::string& path, bool follow) {
  int error = 0;
  if (follow) {
    struct ::stat what{};
    if (::fstatat(AT_FDCWD, path.c_str(), &what, AT_NO_AUTOMOUNT) != 0) error = errno;
  } else if (const auto found = open_path_strict(path.c_str()); !found) {
    error = found.error().value;
  }
  return error == ENOENT || error == ENOTDIR;
}

std::string real_path(const std::string& path) {
  std::error_code problem;
  return std::filesystem::canonical(path, problem);
}

bool is_device(const std::string& path) {
  std::error_code problem;
  return std::filesystem::is_character_file(path, problem);
}

}  // namespace sbx::os
