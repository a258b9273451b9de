#include "changes/many_names.hpp"

#include <fcntl.h>

#include <cerrno>

#include "base/fail.hpp"
#include "changes/file_time.hpp"
#include "changes/look.hpp"

namespace sbx::changes {
namespace {

constexpr std::size_t kMostKept = 1024;  // all others are read again

/// The time of change is another after each name that we give it.
bool is_unwritten(const struct ::stat& then, const struct ::stat& now) {
  return then.st_dev == now.st_dev && then.st_ino == now.st_ino && then.st_size == now.st_size &&
         then.st_mode == now.st_mode && nanoseconds(then.st_mtim) == nanoseconds(now.st_mtim);
}

}  // namespace

SysResult<Entry> ManyNames::look(int folder, const std::string& name, const struct ::stat& what) {
  if (!S_ISREG(what.st_mode) || what.st_nlink < 2) return look_at(folder, name, what, Side::host);
  const auto known = read_.find(what.st_ino);
  if (known != read_.end() && is_unwritten(known->second.what, what)) return known->second.entry;
  Entry entry = SBX_TRY(look_at(folder, name, what, Side::host));
  if (known != read_.end() || read_.size() < kMostKept)
    read_.insert_or_assign(what.st_ino, Read{what, entry});
  return entry;
}

SysResult<Entry> ManyNames::look(int folder, const std::string& name) {
  struct ::stat what{};
  if (::fstatat(folder, name.c_str(), &what, AT_SYMLINK_NOFOLLOW) == 0)
    return look(folder, name, what);
  if (errno == ENOENT || errno == ENOTDIR) return Entry{};
  return fail();
}

}  // namespace sbx::changes
