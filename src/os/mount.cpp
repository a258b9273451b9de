#include "os/mount.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/fail.hpp"

namespace sbx::os {
namespace {

constexpr int kMaxAttempts = 100;  // then somebody renames on purpose: refuse

// Nothing may block on a FIFO, nor take a terminal.
constexpr int kReadFile = O_RDONLY | O_NONBLOCK | O_NOCTTY;

SysResult<SourceFile> regular(UniqueFd file) noexcept {
  struct ::stat what{};
  if (::fstat(file.get(), &what) != 0) return fail();
  if (!S_ISREG(what.st_mode)) return std::unexpected(Errno{EINVAL});
  return SourceFile{std::move(file), what.st_size};
}

SysResult<UniqueFd> open_how(int dir_fd, const char* path, int flags,
                             std::uint64_t resolve) noexcept {
  struct ::open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = resolve;
  long fd = -1;
  // EAGAIN: a rename or mount raced with the walk (openat2(2)); the kernel asks to try again.
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    fd = ::syscall(SYS_openat2, dir_fd, path, &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  if (fd < 0) return fail();
  return UniqueFd(static_cast<int>(fd));
}

}  // namespace

SysResult<UniqueFd> open_path_strict(const char* path) noexcept {
  return open_how(AT_FDCWD, path, O_PATH, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

SysResult<SourceFile> open_file_strict(const char* path) noexcept {
  return regular(
      SBX_TRY(open_how(AT_FDCWD, path, kReadFile, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)));
}

SysResult<SourceFile> open_file_in(int folder_fd, const char* name) noexcept {
  UniqueFd file(::openat(folder_fd, name, kReadFile | O_NOFOLLOW | O_CLOEXEC));
  if (!file.valid()) return fail();
  return regular(std::move(file));
}

SysResult<UniqueFd> open_inside(int root_fd, const char* path, int flags) noexcept {
  return open_how(root_fd, path, flags,
                  RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

SysResult<UniqueFd> clone_tree(int fd, bool recursive) noexcept {
  const unsigned flags = OPEN_TREE_CLONE | static_cast<unsigned>(OPEN_TREE_CLOEXEC) |
                         AT_EMPTY_PATH | (recursive ? AT_RECURSIVE : 0U);
  const int tree = ::open_tree(fd, "", flags);
  if (tree < 0) return fail();
  return UniqueFd(tree);
}

SysResult<NamedTree> clone_tree_in(int folder_fd, const char* name, bool recursive) noexcept {
  const unsigned flags = OPEN_TREE_CLONE | static_cast<unsigned>(OPEN_TREE_CLOEXEC) |
                         AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (recursive ? AT_RECURSIVE : 0U);
  UniqueFd tree(::open_tree(folder_fd, name, flags));
  if (!tree.valid()) return fail();
  struct ::stat root{};
  if (::fstat(tree.get(), &root) != 0) return fail();
  if (S_ISLNK(root.st_mode)) return std::unexpected(Errno{ELOOP});
  return NamedTree{std::move(tree), root.st_mode};
}

SysResult<void> restrict_mount(int fd, std::uint64_t attributes, bool recursive) noexcept {
  struct ::mount_attr attr{};
  attr.attr_set = attributes;
  const unsigned flags = AT_EMPTY_PATH | (recursive ? AT_RECURSIVE : 0U);
  if (::mount_setattr(fd, "", flags, &attr, sizeof attr) != 0) return fail();
  return {};
}

SysResult<void> idmap_tree(int fd, int userns_fd, bool recursive) noexcept {
  struct ::mount_attr attr{};
  attr.attr_set = MOUNT_ATTR_IDMAP;
  attr.userns_fd = static_cast<std::uint64_t>(userns_fd);
  const unsigned flags = AT_EMPTY_PATH | (recursive ? AT_RECURSIVE : 0U);
  if (::mount_setattr(fd, "", flags, &attr, sizeof attr) != 0) return fail();
  return {};
}

SysResult<void> attach_tree(int tree_fd, int folder_fd, const char* name) noexcept {
  if (::move_mount(tree_fd, "", folder_fd, name,
                   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
    return fail();
  return {};
}

SysResult<UniqueFd> new_filesystem(const char* type, std::span<const FsOption> options,
                                   std::uint64_t attributes) noexcept {
  const UniqueFd context(::fsopen(type, FSOPEN_CLOEXEC));
  if (!context.valid()) return fail();
  for (const FsOption& option : options) {
    const unsigned command = option.value == nullptr ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING;
    if (::fsconfig(context.get(), command, option.key, option.value, 0) != 0) return fail();
  }
  if (::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return fail();
  const int mount = ::fsmount(context.get(), FSMOUNT_CLOEXEC, static_cast<unsigned>(attributes));
  if (mount < 0) return fail();
  return UniqueFd(mount);
}

SysResult<void> make_all_private() noexcept {
  struct ::mount_attr attr{};
  attr.propagation = MS_PRIVATE;
  if (::mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &attr, sizeof attr) != 0) return fail();
  return {};
}

SysResult<void> pivot_into(int root_fd) noexcept {
  // pivot_root(".", ".") stacks the old root on the new one, so no folder for it is needed
  // (pivot_root(2), NOTES). It moves every process of the namespace whose root or working directory
  // was the old root.
  if (::fchdir(root_fd) != 0) return fail();
  if (::syscall(SYS_pivot_root, ".", ".") != 0) return fail();
  return {};
}

SysResult<void> drop_old_root() noexcept {
  // Detaching "." takes the whole host tree out of sight: also "/..", which leads to what lies on
  // top of the root. It waits for an RCU grace period.
  if (::umount2(".", MNT_DETACH) != 0) return fail();
  if (::chdir("/") != 0) return fail();
  return {};
}

}  // namespace sbx::os
