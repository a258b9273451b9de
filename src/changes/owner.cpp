#include "changes/owner.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace sbx::changes {

SysResult<bool> owner_may(const os::Ids& owner, const Change& change, const Spot& spot) {
  struct ::stat what{};
  const bool stays =
      change.before.kind == EntryKind::folder && change.after.kind == EntryKind::folder;
  if (stays && ::fstatat(spot.folder, spot.name.c_str(), &what, AT_SYMLINK_NOFOLLOW) == 0)
    return what.st_uid == owner.uid;
  if (::fstat(spot.folder, &what) != 0) return std::unexpected(Errno{errno});
  if (what.st_uid == owner.uid) return true;
  os::BorrowedRights theirs(owner);
  SBX_CHECK(theirs.take());
  return ::faccessat(spot.folder, ".", W_OK | X_OK, AT_EACCESS) == 0;
}

SysResult<void> AsOwner::take(int workspace) {
  const auto owner = SBX_TRY(os::rights_in(workspace));
  return owner ? rights_.emplace(owner).take() : SysResult<void>{};
}

}  // namespace sbx::changes
