// What a layer takes away: of the layers below, or to put something else in its place.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"
#include "images/tree_writer.hpp"
#include "os/folder.hpp"

namespace sbx::images {
namespace {

/// A path has kMaxNames, and links lead some of them further down; nobody needs more.
constexpr int kMaxDepth = 2 * static_cast<int>(kMaxNames);

/// Names one place, whatever path led there.
std::string key_of(int folder, const std::string& name) {
  struct ::stat what{};
  if (::fstat(folder, &what) != 0) return "?/" + name;
  return std::to_string(what.st_ino) + "/" + name;
}

}  // namespace

void TreeWriter::note_made(int folder, const std::string& name) {
  made_.insert(key_of(folder, name));
}

bool TreeWriter::is_made(int folder, const std::string& name) const {
  return made_.contains(key_of(folder, name));
}

SysResult<void> TreeWriter::remove(int folder, const std::string& name, bool below, int depth) {
  if (depth > kMaxDepth) return std::unexpected(Errno{ENAMETOOLONG});
  struct ::stat what{};
  if (::fstatat(folder, name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return {};
    return fail();
  }
  const bool kept = below && is_made(folder, name);
  if (!S_ISDIR(what.st_mode)) {
    if (kept) return {};
    if (::unlinkat(folder, name.c_str(), 0) != 0) return fail();
    return {};
  }
  const os::UniqueFd inner(
      ::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!inner.valid()) return fail();
  SBX_CHECK(remove_inside(inner.get(), below, depth + 1));
  if (kept) return {};
  // Of this layer's own something may be in it.
  const bool gone = ::unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0;
  const int error = errno;
  // The folder that was used last may have been in there, and then takes nothing any more; in a
  // recursion `folder` is another's.
  if (depth == 0) parent_fd_.reset();
  if (!gone && !(below && error == ENOTEMPTY)) return std::unexpected(Errno{error});
  return {};
}

SysResult<void> TreeWriter::remove_inside(int folder, bool below, int depth) {
  for (const std::string& name : SBX_TRY(os::list_names(folder)))
    SBX_CHECK(remove(folder, name, below, depth));
  return {};
}

}  // namespace sbx::images
