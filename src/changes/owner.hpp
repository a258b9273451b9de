// Root applies with all rights, in a folder that need not be root's: what its owner could not
// change there, no run of theirs can have changed.
#pragma once

#include "base/error.hpp"
#include "changes/change.hpp"
#include "changes/tree.hpp"
#include "os/ids.hpp"

namespace sbx::changes {

/// Could `owner` make the change at `spot`? A folder of their own they could open first. Error: it
/// cannot be told.
SysResult<bool> owner_may(const os::Ids& owner, const Change& change, const Spot& spot);

}  // namespace sbx::changes
