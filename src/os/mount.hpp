// The mount system calls we use, on file descriptors only (open_tree(2), mount_setattr(2),
// move_mount(2), fsopen(2)): a path that the payload or anybody else can swap is resolved once, by
// openat2(2), and never looked at again. Allocation-free: init calls these after clone.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstdint>
#include <span>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// openat2(2) as O_PATH with links refused: the path must mean what it says, component by
/// component.
SysResult<UniqueFd> open_path_strict(const char* path) noexcept;
struct SourceFile {
  UniqueFd fd;
  ::off_t size;
};
/// The same, for reading; a regular file or nothing (EINVAL).
SysResult<SourceFile> open_file_strict(const char* path) noexcept;
/// The same for `name` in the folder `folder_fd`; a link is ELOOP.
SysResult<SourceFile> open_file_in(int folder_fd, const char* name) noexcept;

/// The same below `root_fd`, where "/" and ".." mean `root_fd` (RESOLVE_IN_ROOT).
/// `flags`: of open(2).
SysResult<UniqueFd> open_inside(int root_fd, const char* path, int flags = O_PATH) noexcept;

/// A detached copy of the mount at `fd` (with its submounts when `recursive`).
SysResult<UniqueFd> clone_tree(int fd, bool recursive) noexcept;
struct NamedTree {
  UniqueFd fd;
  ::mode_t mode;  ///< of its root, as of fstat(2)
};
/// The same of what `name` is in the folder `folder_fd`; a link is ELOOP.
SysResult<NamedTree> clone_tree_in(int folder_fd, const char* name, bool recursive) noexcept;

/// Sets `attributes` (MOUNT_ATTR_*) on the mount that `fd` is the root of; never clears one.
SysResult<void> restrict_mount(int fd, std::uint64_t attributes, bool recursive) noexcept;

/// Makes the detached tree `fd` an idmapped one (Linux 5.12, mount_setattr(2)): ids on disk are
/// seen through the user namespace `userns_fd`. EINVAL: the file system cannot.
SysResult<void> idmap_tree(int fd, int userns_fd, bool recursive) noexcept;

/// Attaches a detached tree over `name` in the folder `folder_fd`, or with "" over what the
/// descriptor itself is. A link called `name` is covered, not followed (move_mount(2)).
SysResult<void> attach_tree(int tree_fd, int folder_fd, const char* name) noexcept;

struct FsOption {
  const char* key;
  const char* value;  ///< nullptr: a flag
};

/// A new file system as a detached mount with `attributes`.
SysResult<UniqueFd> new_filesystem(const char* type, std::span<const FsOption> options,
                                   std::uint64_t attributes) noexcept;

/// No event travels to or from the host's mounts any more.
SysResult<void> make_all_private() noexcept;

/// pivot_root(2) onto `root_fd`, which is the working directory after it; the old root lies on top.
SysResult<void> pivot_into(int root_fd) noexcept;

/// Takes the old root away after pivot_into(); the working directory is still the new one.
SysResult<void> drop_old_root() noexcept;

}  // namespace sbx::os
