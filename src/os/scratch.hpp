// The folder of a run that has no file system of its own: its HOME and its place for temporary
// files. It stands where everybody may put things (/tmp), so that a name there proves nothing. It
// is held by a lock (flock(2)): what killed runs left is known by that nobody holds it.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// Makes the folder `path` with mode 0700 (main.cpp sees to the umask), and locks it while what is
/// returned, or a copy of it, is open. EEXIST: something has that name. Allocation-free.
SysResult<UniqueFd> make_scratch(const char* path) noexcept;

/// Empties it, as its owner, and removes it. Allocation-free.
SysResult<void> remove_scratch(int folder, const char* path) noexcept;

/// Removes the folders in `base` (it ends with a '/') that nobody holds, whose names start with
/// `prefix`, that belong to one of the `count` users from `first` on, and that none but their owner
/// can have put there: to move a folder one has to be able to write to it, and theirs has mode
/// 0700. Never fails: what stays is for the next one.
void sweep_scratches(const std::string& base, std::string_view prefix, uid_t first, uid_t count);

}  // namespace sbx::os
