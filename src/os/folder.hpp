// Looking into folders that somebody hostile has filled, or may be changing: by descriptor, one
// component at a time, never through a link and never onto another mount.
#pragma once

#include <fcntl.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// The names in the folder open at `fd` (not as O_PATH), sorted bytewise; without "." and "..".
/// E2BIG: there are more than `most`.
SysResult<std::vector<std::string>> list_names(int fd, std::size_t most = SIZE_MAX);

/// openat2(2) of `path` below `folder`: ELOOP at a link, EXDEV where another file system is mounted
/// or where ".." would lead out. "." is the folder itself. O_CLOEXEC is added.
SysResult<UniqueFd> open_beneath(int folder, const char* path, int flags, mode_t mode = 0);

/// The folder `name` in `folder`, for reading what it lists, and for looking at that. EACCES: one
/// of the two is closed to us.
SysResult<UniqueFd> open_to_visit(int folder, const char* name) noexcept;

/// The folder at `path`, for reading, without a link on the way (os/mount.hpp, open_path_strict).
SysResult<UniqueFd> open_folder_strict(const std::string& path);

using AttributeList = std::vector<std::pair<std::string, std::string>>;

struct Attributes {
  AttributeList list{};  ///< sorted by name
  /// There are some that an overlay above would obey, and that are not listed.
  bool for_overlays = false;
};

/// May hide the file, or keep everybody from it, from any later overlay: user.overlay.*, and
/// trusted.overlay.*.
bool is_for_overlays(std::string_view name);

/// The user.* attributes (xattr(7)) of the file or folder open at `fd`; none where the file system
/// has no such thing. `in_layer`: of an overlay's upper layer, whose own ones do not count, and
/// whose escaped ones are the payload's (kernel: overlayfs.rst, "Nesting").
SysResult<Attributes> read_attributes(int fd, bool in_layer);

/// Can what is in the folder have such attributes? (tmpfs: since Linux 6.6.)
bool holds_attributes(int fd);

/// Is what is open at `held` still what `name` in `folder` (or AT_FDCWD) means? A lock (flock(2))
/// is on a folder, not on its name: whoever had it before may have removed that folder, and another
/// one may be there by now. Allocation-free.
bool is_named(int folder, const char* name, int held) noexcept;

/// Tells the file system that the folders in this one have nothing to do with each other
/// (chattr(1), "T"), so that it does not lay them next to each other. A hint, which not every one
/// takes.
void keep_apart(int folder) noexcept;

/// Was the entry made after `time_ns` of CLOCK_REALTIME? A file system that does not say when
/// (statx(2)) says no.
SysResult<bool> is_born_after(int folder, const char* name, std::int64_t time_ns);

/// Is the folder an opaque one of an overlay's upper layer: does it hide what lies below?
SysResult<bool> is_opaque(int fd);

}  // namespace sbx::os
