#include "egress/half.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace sbx::egress {
namespace {

constexpr int kTurns = 16;               // then others come first
constexpr std::size_t kMostKept = 4096;  // of memory for a connection that waits

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Half::~Half() { drop_pipe(); }

void Half::drop_pipe() {
  if (!pipe_) return;
  pipes_.give_back(std::move(*pipe_), in_pipe_ == 0);
  pipe_.reset();
}

void Half::put_first(std::string bytes) {
  note(bytes);
  pending_ = std::move(bytes);
}

void Half::note(std::string_view bytes) {
  if (notes_start_ && start_.size() < kStart) start_ += bytes.substr(0, kStart - start_.size());
}

void Half::answered(std::string_view start) {
  if (guard_) guard_->answered(start, pending_);
}

Half::Need Half::pump(int from, int to, std::int64_t now, std::uint64_t& carried) {
  if (closed_) return Need::end;
  for (int turn = 0; turn < kTurns; ++turn) {
    switch (flush(to, carried)) {
      case Step::more:
        break;
      case Step::again:
        return Need::output;
      case Step::broken:
        return Need::broken;
    }
    if (guard_ && guard_->refused()) return Need::broken;
    if (guard_ && guard_->open()) guard_.reset();
    if (ended_) {
      drop_pipe();
      (void)::shutdown(to, SHUT_WR);  // a socket that is reset meanwhile says so by itself
      closed_ = true;
      return Need::end;
    }
    if (guard_ && guard_->waits()) return Need::answer;
    switch (take(from, now)) {
      case Step::more:
        break;
      case Step::again:
        return starved_ ? Need::time : Need::input;
      case Step::broken:
        return Need::broken;
    }
  }
  // What was taken last is not sent yet, and may be all there is: nobody would call for input.
  return sent_ < pending_.size() || in_pipe_ > 0 ? Need::output : Need::input;
}

Half::Step Half::flush(int to, std::uint64_t& carried) {
  while (sent_ < pending_.size()) {
    const ssize_t size =
        ::send(to, pending_.data() + sent_, pending_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0) return would_block() ? Step::again : Step::broken;
    sent_ += static_cast<std::size_t>(size);
    carried += static_cast<std::uint64_t>(size);
  }
  sent_ = 0;
  if (pending_.capacity() > kMostKept) pending_ = {};
  pending_.clear();
  while (pipe_ && in_pipe_ > 0) {
    const ssize_t size = ::splice(pipe_->read.get(), nullptr, to, nullptr, in_pipe_,
                                  SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
    if (size < 0) return would_block() ? Step::again : Step::broken;
    if (size == 0) return Step::broken;
    in_pipe_ -= static_cast<std::size_t>(size);
    carried += static_cast<std::uint64_t>(size);
  }
  return Step::more;
}

Half::Step Half::take(int from, std::int64_t now) {
  const std::size_t granted = throttle_.grant(direction_, kPipeBytes, now);
  starved_ = granted == 0;
  if (starved_) return throttle_.exhausted() ? Step::broken : Step::again;
  if (bulk_ && !pipe_ && !guard_) pipe_ = pipes_.borrow();
  const bool splices = bulk_ && pipe_ && !guard_;
  const std::size_t most = splices ? granted : std::min(granted, pipes_.scratch().size());
  std::size_t taken = 0;
  const Step done = splices ? splice_in(from, most, taken) : copy(from, most, taken);
  throttle_.refund(direction_, granted - taken);
  return done;
}

Half::Step Half::copy(int from, std::size_t most, std::size_t& taken) {
  std::array<char, 65536>& buffer = pipes_.scratch();
  const ssize_t size = ::recv(from, buffer.data(), most, MSG_DONTWAIT);
  if (size < 0) return would_block() ? Step::again : Step::broken;
  taken = static_cast<std::size_t>(size);
  ended_ = size == 0;
  bulk_ = taken == buffer.size();
  const std::string_view bytes(buffer.data(), taken);
  note(bytes);
  if (guard_ && ended_)
    guard_->ended(pending_);
  else if (guard_)
    guard_->feed(bytes, pending_);
  else
    pending_ = bytes;
  return Step::more;
}

Half::Step Half::splice_in(int from, std::size_t most, std::size_t& taken) {
  if (!pipe_) return Step::broken;
  const ssize_t size =
      ::splice(from, nullptr, pipe_->write.get(), nullptr, most, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (size < 0 && !would_block()) return Step::broken;
  if (size < 0) {  // nothing more for now, so that others may have the pipe
    bulk_ = false;
    drop_pipe();
    return Step::again;
  }
  // At a byte that was sent as urgent it is 0 as well, once the other end has ended
  // (tcp_read_sock() stops there): recv(2) goes on behind it, and tells the end.
  if (size == 0) {
    bulk_ = false;
    drop_pipe();
    return Step::more;
  }
  taken = static_cast<std::size_t>(size);
  in_pipe_ = taken;
  return Step::more;
}

}  // namespace sbx::egress
