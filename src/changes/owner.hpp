// Root applies in a folder that need not be root's: what its owner could not change there, no run
// of theirs can have changed. Looked at with all rights; changed with the owner's, because what was
// looked at may have been swapped for something else since.
#pragma once

#include <optional>

#include "base/error.hpp"
#include "changes/change.hpp"
#include "changes/tree.hpp"
#include "os/borrowed_rights.hpp"
#include "os/ids.hpp"

namespace sbx::changes {

/// Could `owner` make the change at `spot`? A folder of their own they could open first. Error: it
/// cannot be told.
SysResult<bool> owner_may(const os::Ids& owner, const Change& change, const Spot& spot);

/// While it lives, and has taken them, files are made, changed and removed with the rights of the
/// workspace's owner; not started by root, with our own.
class AsOwner {
 public:
  SysResult<void> take(int workspace);

 private:
  std::optional<os::BorrowedRights> rights_;
};

}  // namespace sbx::changes
