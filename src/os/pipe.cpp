// Runs in the supervisor.
#include "os/pipe.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"
#include "base/fixed_text.hpp"

namespace sbx::os {

SysResult<Pipe> make_pipe(std::size_t capacity) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail();
  Pipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  if (capacity != 0) (void)::fcntl(ends[1], F_SETPIPE_SZ, static_cast<int>(capacity));
  return pipe;
}

bool set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

SysResult<UniqueFd> reopen_nonblocking(int fd, int access) {
  const auto path = FixedText<32>().add("/proc/self/fd/").add(fd);
  UniqueFd opened(::open(path.c_str(), access | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!opened.valid()) return fail();
  return opened;
}

std::size_t bytes_waiting(int fd) {
  int waiting = 0;
  if (::ioctl(fd, FIONREAD, &waiting) != 0 || waiting < 0) return 0;
  return static_cast<std::size_t>(waiting);
}

SysResult<std::array<bool, 3>> fill_standard_fds() {
  std::array<bool, 3> read_only{};
  for (int fd = 0; fd <= 2; ++fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    read_only[static_cast<std::size_t>(fd)] = (flags & O_ACCMODE) == O_RDONLY;
    if (flags >= 0 || errno != EBADF) continue;
    read_only[static_cast<std::size_t>(fd)] = true;
    // open(2) takes the lowest free number, and every lower one is open by now. To read only: what
    // we write there goes nowhere, and must fail as it would on a closed descriptor (EBADF).
    if (::open("/dev/null", O_RDONLY) != fd) return fail();
  }
  return read_only;
}

}  // namespace sbx::os
