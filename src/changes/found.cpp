#include "changes/found.hpp"

#include <fcntl.h>

#include <cerrno>

#include "base/fail.hpp"

namespace sbx::changes {

SysResult<Found> find(bool has_side, int folder, const std::string& name) {
  Found found;
  if (!has_side) return found;
  found.there = ::fstatat(folder, name.c_str(), &found.what, AT_SYMLINK_NOFOLLOW) == 0;
  if (!found.there && errno != ENOENT) return fail();
  return found;
}

bool is_copied(::mode_t type) {
  return type == S_IFREG || type == S_IFDIR || type == S_IFLNK || type == S_IFIFO;
}

}  // namespace sbx::changes
