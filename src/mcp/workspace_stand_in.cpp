// What stands in for a session's workspace while that is being copied.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/fail.hpp"
#include "base/lexical_path.hpp"
#include "mcp/workspace.hpp"
#include "os/folder.hpp"

namespace sbx::mcp {
namespace {

constexpr const char* kStandIn = "stand-in";

SysResult<void> make_entry(int folder, const char* path, bool is_folder) {
  if (is_folder) {
    if (::mkdirat(folder, path, 0755) != 0 && errno != EEXIST) return fail();
    return {};
  }
  const os::UniqueFd file(
      ::openat(folder, path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file.valid()) return fail();
  return {};
}

/// Makes in `folder`, in which nobody else is, what `path` and the folders that it is in are in
/// `host`: folders and files, without what they hold. The rest is not there.
SysResult<void> make_like(int host, int folder, const std::string& path,
                          const std::optional<os::Ids>& owner) {
  for (std::size_t end = 0; end != path.size();) {
    end = std::min(path.size(), path.find('/', end + 1));
    const std::string name = path.substr(0, end);
    const auto there = os::open_beneath(host, name.c_str(), O_PATH | O_NOFOLLOW);
    struct ::stat what{};
    if (!there || ::fstat(there->get(), &what) != 0) return {};
    if (!S_ISDIR(what.st_mode) && !S_ISREG(what.st_mode)) return {};
    SBX_CHECK(make_entry(folder, name.c_str(), S_ISDIR(what.st_mode)));
    if (owner && ::fchownat(folder, name.c_str(), owner->uid, owner->gid, AT_SYMLINK_NOFOLLOW) != 0)
      return fail();
  }
  return {};
}

}  // namespace

Result<std::string> Workspace::make_stand_in(const std::optional<std::string>& workdir) const {
  if (!session_) return source_;  // nothing is copied
  const os::UniqueFd folder = SBX_TRY(session_->make_folder(kStandIn));
  const auto fill = [&]() -> SysResult<void> {
    if (rights_ && ::fchown(folder.get(), rights_->uid, rights_->gid) != 0) return fail();
    std::vector<std::string> places = mounts_;
    if (workdir) places.push_back(*workdir);
    for (const std::string& place : places) {
      const std::string path = lexical_path(at_, place);
      if (path == at_ || !is_below(path, at_)) continue;
      SBX_CHECK(make_like(host_.get(), folder.get(), path.substr(at_.size() + 1), rights_));
    }
    return {};
  };
  if (const auto filled = fill(); !filled)
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "cannot make what stands in for the session's workspace",
                                 .sys_errno = filled.error().value});
  return session_->path() + "/" + kStandIn;
}

}  // namespace sbx::mcp
