#include "os/host_id.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/fail.hpp"

namespace sbx::os {
namespace {

constexpr const char* kFolder = "/run/sbx";
constexpr const char* kLockName = "ids.lock";

/// The lock file, in a folder that only root can have made: anybody else could hold every id.
SysResult<UniqueFd> open_lock_file() {
  if (::mkdir(kFolder, 0700) != 0 && errno != EEXIST) return fail();
  const UniqueFd folder(::open(kFolder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid()) return fail();
  struct ::stat what{};
  if (::fstat(folder.get(), &what) != 0) return fail();
  if (what.st_uid != 0 || (what.st_mode & 0022U) != 0) return std::unexpected(Errno{EPERM});
  UniqueFd file(::openat(folder.get(), kLockName, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return fail();
  return file;
}

}  // namespace

SysResult<HostId> reserve_host_id(std::uint32_t first, std::uint32_t count) {
  HostId held{0, SBX_TRY(open_lock_file())};
  // A random start, so that an id whose run was just killed is not handed out while its last
  // processes still go.
  std::uint32_t start = 0;
  if (::getrandom(&start, sizeof start, 0) != sizeof start) return fail();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t offset = (start % count + i) % count;
    struct ::flock byte{};
    byte.l_type = F_WRLCK;
    byte.l_whence = SEEK_SET;
    byte.l_start = offset;
    byte.l_len = 1;
    // Of the open file, not of the process (fcntl(2), open file description locks).
    if (::fcntl(held.lock.get(), F_OFD_SETLK, &byte) == 0) {
      held.id = first + offset;
      return held;
    }
    if (errno != EAGAIN && errno != EACCES) return fail();
  }
  return std::unexpected(Errno{EAGAIN});
}

}  // namespace sbx::os
