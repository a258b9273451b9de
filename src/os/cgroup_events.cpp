// Runs in the supervisor. cgroup-v2.rst, "cgroup.events".
#include "os/cgroup_events.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"
#include "os/fd.hpp"

namespace sbx::os {
namespace {

using Clock = std::chrono::steady_clock;

/// Reading also arms the next notification.
SysResult<bool> has_line(int events, std::string_view line) {
  char text[256];
  const ssize_t got = ::pread(events, text, sizeof text, 0);
  if (got < 0) return fail();
  return std::string_view(text, static_cast<std::size_t>(got)).contains(line);
}

}  // namespace

SysResult<void> await_cgroup_event(int dir_fd, std::string_view line,
                                   std::chrono::milliseconds within) {
  const UniqueFd events(::openat(dir_fd, "cgroup.events", O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!events.valid()) return fail();
  const auto deadline = Clock::now() + within;
  while (!SBX_TRY(has_line(events.get(), line))) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return std::unexpected(Errno{ETIMEDOUT});
    struct ::pollfd changed{events.get(), POLLPRI, 0};
    if (::poll(&changed, 1, static_cast<int>(left.count())) < 0 && errno != EINTR) return fail();
  }
  return {};
}

}  // namespace sbx::os
