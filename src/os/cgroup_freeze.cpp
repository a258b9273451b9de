// Runs in the supervisor. cgroup-v2.rst, "cgroup.freeze" and "cgroup.events".
#include "os/cgroup_freeze.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "os/fd.hpp"

namespace sbx::os {
namespace {

using Clock = std::chrono::steady_clock;

std::unexpected<Errno> fail() { return std::unexpected(Errno{errno}); }

SysResult<void> write_freeze(int dir_fd, char value) {
  const UniqueFd file(::openat(dir_fd, "cgroup.freeze", O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid() || ::write(file.get(), &value, 1) != 1) return fail();
  return {};
}

/// Reading also arms the next notification.
SysResult<bool> is_frozen(int events) {
  char text[256];
  const ssize_t got = ::pread(events, text, sizeof text, 0);
  if (got < 0) return fail();
  return std::string_view(text, static_cast<std::size_t>(got)).contains("frozen 1\n");
}

SysResult<void> await_frozen(int events, Clock::time_point deadline) {
  while (!SBX_TRY(is_frozen(events))) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return std::unexpected(Errno{ETIMEDOUT});
    struct ::pollfd changed{events, POLLPRI, 0};
    if (::poll(&changed, 1, static_cast<int>(left.count())) < 0 && errno != EINTR) return fail();
  }
  return {};
}

}  // namespace

SysResult<void> freeze_cgroup(int dir_fd, std::chrono::milliseconds within) {
  const UniqueFd events(::openat(dir_fd, "cgroup.events", O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!events.valid()) return fail();
  SBX_CHECK(write_freeze(dir_fd, '1'));
  auto frozen = await_frozen(events.get(), Clock::now() + within);
  if (!frozen) static_cast<void>(write_freeze(dir_fd, '0'));  // it succeeded with '1' just now
  return frozen;
}

SysResult<void> thaw_cgroup(int dir_fd) { return write_freeze(dir_fd, '0'); }

}  // namespace sbx::os
