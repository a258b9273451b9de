// The folder of this user's live runs: private, and gone with the session or the boot where the
// system does that.
#pragma once

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// Opens $XDG_RUNTIME_DIR/sbx; without that variable /run/sbx for root, and for everybody else
/// /run/user/UID/sbx, or /tmp/.sbx-UID where there is no session. `make`: when it is not there.
/// ENOENT: there is none. EPERM: somebody else owns it or may look into it, so it is not used.
SysResult<UniqueFd> open_runtime_folder(bool make);

}  // namespace sbx::os
