#include "changes/owner.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"

namespace sbx::changes {

SysResult<bool> owner_may(const os::Ids& owner, const Change& change, const Spot& spot) {
  struct ::stat what{};
  const bool stays =
      change.before.kind == EntryKind::folder && change.after.kind == EntryKind::folder;
  if (stays && ::fstatat(spot.folder, spot.name.c_str(), &what, AT_SYMLINK_NOFOLLOW) == 0)
    return what.st_uid == owner.uid;
  if (::fstat(spot.folder, &what) != 0) return fail();
  if (what.st_uid == owner.uid) return true;
  os::BorrowedRights theirs(owner);
  SBX_CHECK(theirs.take());
  return ::faccessat(spot.folder, ".", W_OK | X_OK, AT_EACCESS) == 0;
}

SysResult<bool> is_owners(int workspace, const struct ::stat& what) {
  if (::geteuid() != 0) return true;
  struct ::stat top{};
  if (::fstat(workspace, &top) != 0) return fail();
  return what.st_uid == top.st_uid;
}

SysResult<Held> hold_folder(int workspace, const Spot& spot) {
  Held held = SBX_TRY(Held::open(spot.folder, spot.name));
  const struct ::stat what = SBX_TRY(held.look());
  if (!S_ISDIR(what.st_mode)) return std::unexpected(Errno{ENOTDIR});
  if (!SBX_TRY(is_owners(workspace, what))) return std::unexpected(Errno{EPERM});
  return held;
}

SysResult<void> AsOwner::take(int workspace) {
  const auto owner = SBX_TRY(os::rights_in(workspace));
  return owner ? rights_.emplace(owner).take() : SysResult<void>{};
}

}  // namespace sbx::changes
