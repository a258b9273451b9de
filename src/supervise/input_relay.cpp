// Runs in the supervisor. A file is spliced into the pipe, a pipe shown in it, anything else
// copied.
#include "supervise/input_relay.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "os/pipe.hpp"
#include "os/pty.hpp"

namespace sbx::supervise {
namespace {

constexpr std::size_t kBuffer = std::size_t{64} * 1024;
constexpr std::size_t kTypedBuffer =
    4096;  // a terminal's line; and no more than a pipe takes at once
constexpr std::size_t kSplice = std::size_t{1024} * 1024;
constexpr int kPage = 4096;
constexpr std::size_t kMostShown = std::size_t{1024} * 1024;
constexpr int kRounds = 8;

bool has_data(int fd) {
  pollfd wait{fd, POLLIN, 0};
  return ::poll(&wait, 1, 0) == 1;
}

bool has_room(int fd) {
  pollfd wait{fd, POLLOUT, 0};
  return ::poll(&wait, 1, 0) == 1 && (wait.revents & POLLOUT) != 0;
}

}  // namespace

InputRelay::InputRelay(int source, FileKind kind, os::UniqueFd sink, bool to_pty)
    : source_(source),
      kind_(kind),
      sink_(std::move(sink)),
      to_pty_(to_pty),
      splice_(kind == FileKind::regular && !to_pty),
      show_(kind == FileKind::fifo && !to_pty) {
  (void)os::set_nonblocking(sink_.get());
  if (show_) {
    // A pipe of one page has room again (POLLOUT) only when all of it has been read.
    drop_.reset(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (drop_.valid() && ::fcntl(sink_.get(), F_SETPIPE_SZ, kPage) == kPage) return;
  }
  read_ahead();
}

void InputRelay::read_ahead() {
  show_ = false;
  // Somebody else may take what poll(2) announced; a blocking read would then hang the supervisor.
  if (kind_ == FileKind::terminal || kind_ == FileKind::fifo)
    if (auto own = os::reopen_nonblocking(source_, O_RDONLY)) own_source_ = std::move(*own);
}

void InputRelay::watch(PollSet& set) {
  sink_index_ = kNotPolled;
  if (!sink_.valid() || ended_) return;
  if (sink_full_) {
    sink_index_ = set.add(sink_.get(), POLLOUT);
    return;
  }
  if (!in_background_) set.add(own_source_.valid() ? own_source_.get() : source_, POLLIN);
  // Only to hear that the payload closed its stdin. A master has no such end: it would report
  // POLLHUP without pause while no process holds the terminal.
  if (!to_pty_) sink_index_ = set.add(sink_.get(), 0);
}

void InputRelay::step(const PollSet& set) {
  if (!sink_.valid() || ended_) return;
  if ((set.revents(sink_index_) & (POLLERR | POLLNVAL)) != 0) return stop();
  for (int round = 0; round < kRounds; ++round) {
    if (!drain() || in_background_) return;
    if (end_typed_) return finish();
    const Got got = show_ ? fill_shown() : splice_ ? fill_spliced() : fill();
    if (got == Got::end) return finish();
    if (got == Got::nothing) return;
  }
}

InputRelay::Got InputRelay::fill() {
  const int fd = own_source_.valid() ? own_source_.get() : source_;
  if (!own_source_.valid() && kind_ != FileKind::socket && !has_data(fd)) return Got::nothing;
  if (buffer_.empty())
    buffer_.resize(kind_ == FileKind::terminal || to_pty_ ? kTypedBuffer : kBuffer);
  const ssize_t got = kind_ == FileKind::socket
                          ? ::recv(fd, buffer_.data(), buffer_.size(), MSG_DONTWAIT)
                          : ::read(fd, buffer_.data(), buffer_.size());
  if (got > 0) {
    pending_ = {buffer_.data(), static_cast<std::size_t>(got)};
    moved_ += pending_.size();
    line_open_ = pending_.back() != '\n';
    return drain() ? Got::bytes : Got::nothing;
  }
  if (got == 0) return Got::end;
  if (errno == EAGAIN || errno == EINTR) return Got::nothing;
  if (errno == EIO && kind_ == FileKind::terminal && !os::in_foreground(fd)) {
    in_background_ = true;  // SIGTTIN is blocked (os/signals), so the read fails instead
    return Got::nothing;
  }
  return Got::end;
}

InputRelay::Got InputRelay::fill_shown() {
  // In this order: what is read in between makes room, too.
  const bool room = has_room(sink_.get());
  if (os::bytes_waiting(sink_.get()) != 0) {
    // The payload has made its pipe larger, and waiting for room would not let us sleep.
    if (room) return take_all();
    sink_full_ = true;
    return Got::nothing;
  }
  moved_ += shown_;
  take_shown(shown_);
  // Who has read so much reads all, and a page at a time is slow.
  if (moved_ > kMostShown) return take_all();
  const ssize_t got = ::tee(source_, sink_.get(), kPage, SPLICE_F_NONBLOCK);
  if (got > 0) {
    shown_ = static_cast<std::size_t>(got);
    sink_full_ = true;
    return Got::nothing;
  }
  if (got == 0) return Got::end;
  if (errno == EAGAIN || errno == EINTR) return Got::nothing;
  if (errno == EPIPE) {
    stop();
    return Got::nothing;
  }
  read_ahead();  // read(2) will say what is wrong
  return Got::bytes;
}

InputRelay::Got InputRelay::take_all() {
  take_shown(shown_);
  read_ahead();
  (void)::fcntl(sink_.get(), F_SETPIPE_SZ, kBuffer);
  return Got::bytes;
}

/// `size` of what was shown has been read: it leaves the caller's pipe.
void InputRelay::take_shown(std::size_t size) {
  while (size != 0) {
    const ssize_t gone = ::splice(source_, nullptr, drop_.get(), nullptr, size, SPLICE_F_NONBLOCK);
    if (gone < 0 && errno == EINTR) continue;
    if (gone <= 0) break;  // somebody else has taken it
    size -= static_cast<std::size_t>(gone);
  }
  shown_ = 0;
}

InputRelay::Got InputRelay::fill_spliced() {
  const ssize_t got =
      ::splice(source_, nullptr, sink_.get(), nullptr, kSplice, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (got > 0) {
    moved_ += static_cast<std::size_t>(got);
    return Got::bytes;
  }
  if (got == 0) return Got::end;
  if (errno == EAGAIN) {
    sink_full_ = true;
    return Got::nothing;
  }
  if (errno == EINTR) return Got::nothing;
  if (errno == EPIPE) {
    stop();
    return Got::nothing;
  }
  splice_ = false;  // this file cannot be spliced (EINVAL), or read(2) will say what is wrong
  return Got::bytes;
}

bool InputRelay::drain() {
  sink_full_ = false;
  while (!pending_.empty()) {
    const ssize_t sent = ::write(sink_.get(), pending_.data(), pending_.size());
    if (sent >= 0) {
      pending_.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      sink_full_ = true;
      return false;
    } else if (errno != EINTR) {
      stop();
      return false;
    }
  }
  return true;
}

void InputRelay::finish() {
  if (to_pty_ && !end_typed_) {
    end_typed_ = true;
    const int end = os::end_of_file_byte(sink_.get());
    buffer_.assign(2, static_cast<char>(end));
    // One ^D behind an unfinished line only hands that line over; the second one is the end.
    if (end >= 0) pending_ = {buffer_.data(), line_open_ ? std::size_t{2} : std::size_t{1}};
    if (!drain()) return;
  }
  if (kind_ == FileKind::regular && !to_pty_ && os::bytes_waiting(sink_.get()) != 0) {
    if (auto end = os::reopen_nonblocking(sink_.get(), O_RDONLY)) unread_ = std::move(*end);
  }
  ended_ = true;
  sink_.reset();
}

void InputRelay::stop() {
  give_back();
  ended_ = true;
  pending_ = {};
  sink_.reset();
  unread_.reset();
}

void InputRelay::give_back() {
  if (shown_ != 0)
    take_shown(shown_ - std::min(shown_, sink_.valid() ? os::bytes_waiting(sink_.get()) : 0));
  if (kind_ != FileKind::regular || to_pty_) return;
  std::size_t unread = pending_.size();
  if (unread_.valid()) unread += os::bytes_waiting(unread_.get());
  if (sink_.valid()) unread += os::bytes_waiting(sink_.get());
  // The payload can write to its pipe as well: never more than came from here.
  unread = std::min(unread, moved_);
  if (unread != 0) (void)::lseek(source_, -static_cast<off_t>(unread), SEEK_CUR);
}

}  // namespace sbx::supervise
