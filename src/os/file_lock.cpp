#include "os/file_lock.hpp"

#include <sys/file.h>

#include <cerrno>
#include <ctime>

#include "base/fail.hpp"
#include "os/signals.hpp"

namespace sbx::os {

SysResult<void> lock_file(int fd, int how) noexcept {
  constexpr ::timespec kPause{0, 2'000'000};
  while (::flock(fd, how | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return fail();
    if (end_is_pending()) return std::unexpected(Errno{EINTR});
    (void)::nanosleep(&kPause, nullptr);
  }
  return {};
}

}  // namespace sbx::os
