// Landlock (landlock(7)) as a second wall around the same files. Allocation-free.
#pragma once

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// The ABI this kernel answers with, 0 when it has no Landlock (or it is not enabled at boot).
int landlock_abi() noexcept;

enum class LandlockAccess { read, write, device, moves };

/// Which rights on files a ruleset is about.
enum class LandlockFiles {
  all,    ///< that the ABI knows
  moves,  ///< only to move and link from one folder to another (ABI 2)
};

/// What a ruleset is about; what it is about is forbidden until a rule allows it.
struct LandlockKinds {
  LandlockFiles files = LandlockFiles::all;
  bool tcp = false;    ///< connecting and listening (ABI 4); there are no rules for it here
  bool scope = false;  ///< abstract unix sockets, and signals to processes outside (ABI 6)
};
/// A ruleset for `kinds`, as far as `abi` knows them.
SysResult<UniqueFd> landlock_ruleset(int abi, const LandlockKinds& kinds) noexcept;

/// Allows `access` for the tree at `path_fd` (O_PATH), or of it what fits a file.
SysResult<void> landlock_allow(int ruleset, int abi, int path_fd, LandlockAccess access) noexcept;

/// From here on this process and its children obey the ruleset. Needs no_new_privs.
SysResult<void> landlock_restrict(int ruleset) noexcept;

}  // namespace sbx::os
