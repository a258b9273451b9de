// The folder of a run that has no file system of its own: its HOME and its place for temporary
// files. It is held by a lock (flock(2)), so that what killed runs left is known.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// Makes the folder `path` with mode 0700, and locks it for as long as what is returned, or a copy
/// of it, is open. EEXIST: something has that name. Allocation-free.
SysResult<UniqueFd> make_scratch(const char* path) noexcept;

/// Empties and removes it. Allocation-free.
SysResult<void> remove_scratch(int folder, const char* path) noexcept;

/// Removes `path` if it is there and nobody holds it; what cannot be removed stays.
void sweep_scratch(const std::string& path);

/// The same for all in `base` (it ends with a '/') whose names start with `prefix` and that belong
/// to one of the `count` users from `first` on.
void sweep_scratches(const std::string& base, std::string_view prefix, uid_t first, uid_t count);

}  // namespace sbx::os
