// Landlock (landlock(7)) as a second wall around the same files. Allocation-free.
#pragma once

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// The ABI this kernel answers with, 0 when it has no Landlock (or it is not enabled at boot).
int landlock_abi() noexcept;

enum class LandlockAccess { read, write, device };

/// A ruleset that handles every file right of `abi`; with `scope` (ABI 6) also abstract unix
/// sockets and signals to processes outside.
SysResult<UniqueFd> landlock_ruleset(int abi, bool scope) noexcept;

/// Allows `access` for the tree at `path_fd` (O_PATH). `is_directory` decides which rights fit.
SysResult<void> landlock_allow(int ruleset, int abi, int path_fd, bool is_directory,
                               LandlockAccess access) noexcept;

/// From here on this process and its children obey the ruleset. Needs no_new_privs.
SysResult<void> landlock_restrict(int ruleset) noexcept;

}  // namespace sbx::os
