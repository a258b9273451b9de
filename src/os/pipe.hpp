// Pipes of our own, and what the supervisor may do to a descriptor that it shares with others.
#pragma once

#include <array>
#include <cstddef>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

/// A close-on-exec pipe, both ends blocking. `capacity`: asked for, not promised (pipe(7): an
/// ordinary user may have used up /proc/sys/fs/pipe-user-pages-soft). 0: the kernel's default.
SysResult<Pipe> make_pipe(std::size_t capacity);

/// O_NONBLOCK on the open file behind `fd`; only for one that nobody else uses. False: `fd` is
/// none.
bool set_nonblocking(int fd);

/// A second, non-blocking open file for the pipe or terminal behind `fd`, so that the caller's own
/// keeps its flags. `access`: O_RDONLY or O_WRONLY. Fails where /proc or the rights are missing.
SysResult<UniqueFd> reopen_nonblocking(int fd, int access);

/// Bytes that can be read from a pipe or terminal right now; 0 when it cannot tell.
std::size_t bytes_waiting(int fd);

/// Opens /dev/null in place of each of 0, 1 and 2 that is closed: the next file opened must not
/// become somebody's standard stream. Writing to it fails with EBADF. Returns which of the three
/// are open for reading only, as those are.
SysResult<std::array<bool, 3>> fill_standard_fds();

}  // namespace sbx::os
