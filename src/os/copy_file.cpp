#include "os/copy_file.hpp"

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/sendfile.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/fail.hpp"

namespace sbx::os {
namespace {

// As the kernel bounds them (xattr(7)); not on the stack of a child.
char g_names[XATTR_LIST_MAX];
char g_value[XATTR_SIZE_MAX];

SysResult<void> copy_range(int from, int to, ::off_t at, ::off_t end) noexcept {
  if (::lseek(to, at, SEEK_SET) < 0) return fail();
  while (at < end) {
    constexpr ::off_t kMost = 1 << 30;
    const ssize_t n =
        ::sendfile(to, from, &at, static_cast<std::size_t>(std::min(end - at, kMost)));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail();
    if (n == 0) break;  // it has shrunk meanwhile
  }
  return {};
}

/// Where data, or a hole, begins; the end where there is none, or the file system does not know.
SysResult<::off_t> seek(int from, ::off_t at, int whence, ::off_t end) noexcept {
  const ::off_t found = ::lseek(from, at, whence);
  if (found >= 0) return std::min(found, end);
  if (errno == ENXIO) return end;
  if (errno == EINVAL || errno == EOPNOTSUPP) return whence == SEEK_DATA ? at : end;
  return fail();
}

SysResult<void> copy_attributes(int from, int to) noexcept {
  const ssize_t size = ::flistxattr(from, g_names, sizeof g_names);
  if (size < 0) return errno == EOPNOTSUPP ? SysResult<void>{} : fail();
  for (ssize_t at = 0; at < size;) {
    const char* const name = g_names + at;
    at += static_cast<ssize_t>(std::strlen(name)) + 1;
    if (std::strncmp(name, "user.", 5) != 0) continue;
    const ssize_t length = ::fgetxattr(from, name, g_value, sizeof g_value);
    if (length < 0 && errno == ENODATA) continue;  // gone between
    if (length < 0) return fail();
    if (::fsetxattr(to, name, g_value, static_cast<std::size_t>(length), 0) == 0) continue;
    return errno == EOPNOTSUPP ? SysResult<void>{} : fail();
  }
  return {};
}

}  // namespace

SysResult<void> copy_bytes(int from, int to) noexcept {
  struct ::stat what{};
  if (::fstat(from, &what) != 0) return fail();
  if (::ftruncate(to, what.st_size) != 0) return fail();
  ::off_t at = 0;
  while (at < what.st_size) {
    const ::off_t data = SBX_TRY(seek(from, at, SEEK_DATA, what.st_size));
    if (data >= what.st_size) break;
    const ::off_t hole = SBX_TRY(seek(from, data, SEEK_HOLE, what.st_size));
    SBX_CHECK(copy_range(from, to, data, hole));
    at = std::max(hole, data + 1);
  }
  return {};
}

SysResult<void> copy_facts(int from, int to, const struct ::stat& what) noexcept {
  SBX_CHECK(copy_attributes(from, to));
  if (::fchmod(to, what.st_mode & kCopiedBits) != 0) return fail();
  const ::timespec times[] = {what.st_atim, what.st_mtim};
  return ::futimens(to, times) == 0 ? SysResult<void>{} : fail();
}

}  // namespace sbx::os
