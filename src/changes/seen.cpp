#include "changes/seen.hpp"

#include <fcntl.h>

#include <cerrno>

#include "base/fail.hpp"

namespace sbx::changes {
namespace {

bool is_same(const ::timespec& a, const ::timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

SysResult<Seen> Seen::at(const Spot& spot) {
  Seen seen;
  seen.there_ = ::fstatat(spot.folder, spot.name.c_str(), &seen.what_, AT_SYMLINK_NOFOLLOW) == 0;
  if (!seen.there_ && errno != ENOENT) return fail();
  return seen;
}

SysResult<void> Seen::check_at(const Spot& spot) const {
  const Seen now = SBX_TRY(at(spot));
  const bool same =
      now.there_ == there_ &&
      (!there_ ||
       (now.what_.st_dev == what_.st_dev && now.what_.st_ino == what_.st_ino &&
        now.what_.st_size == what_.st_size && is_same(now.what_.st_mtim, what_.st_mtim) &&
        is_same(now.what_.st_ctim, what_.st_ctim)));
  if (!same) return std::unexpected(Errno{EBUSY});
  return {};
}

}  // namespace sbx::changes
