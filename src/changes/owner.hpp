// Root applies in a folder that need not be root's: what its owner could not change there, no run
// of theirs can have changed. Looked at with all rights; changed with the owner's, because what was
// looked at may have been swapped for something else since.
#pragma once

#include <optional>

#include "base/error.hpp"
#include "changes/change.hpp"
#include "changes/held.hpp"
#include "changes/tree.hpp"
#include "os/borrowed_rights.hpp"
#include "os/ids.hpp"

namespace sbx::changes {

/// Could `owner` make the change at `spot`? A folder of their own they could open first. Error: it
/// cannot be told.
SysResult<bool> owner_may(const os::Ids& owner, const Change& change, const Spot& spot);

/// Started by root: is it the workspace owner's? Else it is.
SysResult<bool> is_owners(int workspace, const struct ::stat& what);

/// A folder, for a change of its mode or attributes. EPERM: started by root, and it is not the
/// workspace owner's, so that no run can have changed it.
SysResult<Held> hold_folder(int workspace, const Spot& spot);

/// While it lives, and has taken them, files are made, changed and removed with the rights of the
/// workspace's owner; not started by root, with our own.
class AsOwner {
 public:
  SysResult<void> take(int workspace);

 private:
  std::optional<os::BorrowedRights> rights_;
};

}  // namespace sbx::changes
