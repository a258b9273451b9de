#include "changes/held.hpp"

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/fail.hpp"
#include "os/folder.hpp"

namespace sbx::changes {
namespace {

constexpr const char* kAccessList = "system.posix_acl_access";

bool has_none(int error) { return error == ENODATA || error == EOPNOTSUPP; }

/// The same file or folder, so that attributes can be listed.
SysResult<os::UniqueFd> open_again(const char* path) {
  os::UniqueFd fd(::open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd.valid()) return fail();
  return fd;
}

}  // namespace

SysResult<Held> Held::open(int folder, const std::string& name) {
  return Held(SBX_TRY(os::open_beneath(folder, name.c_str(), O_PATH | O_NOFOLLOW)));
}

Held::Held(os::UniqueFd fd) : fd_(std::move(fd)) { path_.add("/proc/self/fd/").add(fd_.get()); }

SysResult<struct ::stat> Held::look() const {
  struct ::stat what{};
  if (::fstat(fd_.get(), &what) != 0) return fail();
  return what;
}

SysResult<void> Held::check_at(int folder, const std::string& name) const {
  struct ::stat named{};
  const struct ::stat held = SBX_TRY(look());
  const bool there = ::fstatat(folder, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0;
  if (!there && errno != ENOENT) return fail();
  if (!there || named.st_ino != held.st_ino || named.st_dev != held.st_dev)
    return std::unexpected(Errno{EBUSY});
  return {};
}

SysResult<void> Held::set_mode(unsigned mode) const {
  if (S_ISLNK(SBX_TRY(look()).st_mode)) return std::unexpected(Errno{ELOOP});
  if (::chmod(path_.c_str(), mode) != 0) return fail();
  return {};
}

SysResult<void> Held::set_attributes(const Entry& entry) const {
  const os::UniqueFd readable = SBX_TRY(open_again(path_.c_str()));
  for (const Attribute& attribute : entry.attributes)
    if (os::is_for_overlays(attribute.name)) return std::unexpected(Errno{EPERM});
  const os::Attributes present = SBX_TRY(os::read_attributes(readable.get(), false));
  for (const auto& [key, value] : present.list)
    if (::fremovexattr(readable.get(), key.c_str()) != 0) return fail();
  for (const Attribute& attribute : entry.attributes)
    if (::fsetxattr(readable.get(), attribute.name.c_str(), attribute.value.data(),
                    attribute.value.size(), 0) != 0)
      return fail();
  return {};
}

SysResult<void> Held::take_access_list(const Held& old) const {
  char list[65536];
  const ssize_t size = ::getxattr(old.path_.c_str(), kAccessList, list, sizeof list);
  if (size < 0 && !has_none(errno)) return fail();
  if (size < 0) {
    // What its folder has given it by default would let others in.
    if (::removexattr(path_.c_str(), kAccessList) != 0 && !has_none(errno)) return fail();
    return {};
  }
  if (::setxattr(path_.c_str(), kAccessList, list, static_cast<std::size_t>(size), 0) != 0)
    return fail();
  return {};
}

}  // namespace sbx::changes
