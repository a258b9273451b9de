// Runs in the supervisor. Each kind of file needs its own way of not being waited for.
#include "supervise/sink.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include "base/fail.hpp"
#include "os/pipe.hpp"

namespace sbx::supervise {
namespace {

// One datagram at most, should the socket be of that kind.
constexpr std::size_t kLongestSend = std::size_t{32} * 1024;

bool appends(int fd) { return (::fcntl(fd, F_GETFL) & O_APPEND) != 0; }

bool is_open_for_reading_only(int fd) { return (::fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY; }

bool has_room(int fd) {
  pollfd wait{fd, POLLOUT, 0};
  return ::poll(&wait, 1, 0) == 1;  // an error counts: write(2) then says which
}

}  // namespace

Sink::Sink(int fd, FileKind kind) : fd_(fd) {
  switch (kind) {
    case FileKind::null_device:
      // What stands in for a stream that was closed is one to which nobody can write
      // (os/pipe.hpp, fill_standard_fds()), and so it shall be.
      if (is_open_for_reading_only(fd))
        way_ = Way::cautious;
      else
        fd_ = -1;
      return;
    case FileKind::regular:
      way_ = Way::file;
      splices_ = !appends(fd);  // splice(2): EINVAL for O_APPEND
      return;
    case FileKind::socket:
      way_ = Way::socket;
      return;
    case FileKind::fifo:
    case FileKind::terminal:
      // pipe(7) promises that PIPE_BUF bytes fit after POLLOUT, so the second way is safe, only
      // slower; for a terminal that somebody stopped it is the best there is.
      way_ = Way::cautious;
      if (auto own = os::reopen_nonblocking(fd, O_WRONLY)) {
        own_ = std::move(*own);
        way_ = Way::own_file;
      }
      splices_ = kind == FileKind::fifo;  // SPLICE_F_NONBLOCK does the rest
      return;
    case FileKind::device:
    case FileKind::directory:  // never gets here; its write(2) fails
      way_ = Way::cautious;
      return;
  }
}

SysResult<std::size_t> Sink::write(std::string_view bytes) {
  while (true) {
    ssize_t sent = 0;
    switch (way_) {
      case Way::discard:
        return bytes.size();
      case Way::file:
      case Way::own_file:
        sent = ::write(poll_fd(), bytes.data(), bytes.size());
        break;
      case Way::socket:
        sent = ::send(fd_, bytes.data(), std::min(bytes.size(), kLongestSend),
                      MSG_DONTWAIT | MSG_NOSIGNAL);
        break;
      case Way::cautious:
        if (!has_room(fd_)) return 0;
        sent = ::write(fd_, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
        break;
    }
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (errno == EAGAIN) return 0;
    if (errno != EINTR) return fail();
  }
}

void Sink::cut_back(std::size_t bytes) {
  if (way_ != Way::file || bytes == 0) return;
  const ::off_t end = ::lseek(fd_, 0, SEEK_END);
  const ::off_t start = end - static_cast<::off_t>(bytes);
  if (::lseek(fd_, 0, SEEK_CUR) != end || start < 0 || ::ftruncate(fd_, start) != 0) return;
  (void)::lseek(fd_, start, SEEK_SET);
}

}  // namespace sbx::supervise
