// Runs in the supervisor. Spliced when nobody looks at the bytes, else copied through one buffer.
#include "supervise/output_relay.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "os/pipe.hpp"

namespace sbx::supervise {
namespace {

constexpr std::size_t kBuffer = std::size_t{128} * 1024;
constexpr std::size_t kSplice = std::size_t{1024} * 1024;  // a whole pipe of ours
constexpr int kRounds = 8;  // then the other stream and the signals have a turn
// More than a pty can hold (N_TTY_BUF_SIZE and 64 KiB of flip buffer); FIONREAD misses the latter.
constexpr std::size_t kPtyRest = std::size_t{1024} * 1024;

}  // namespace

OutputRelay::OutputRelay(os::UniqueFd source, Sink sink, StreamMeter meter, bool from_pty)
    : source_(std::move(source)),
      sink_(std::move(sink)),
      meter_(std::move(meter)),
      from_pty_(from_pty),
      splice_(!from_pty && sink_.can_splice() && meter_.only_counts()) {
  (void)os::set_nonblocking(source_.get());
}

void OutputRelay::watch(PollSet& set) const {
  if (sink_full_) {
    set.add(sink_.poll_fd(), POLLOUT);
  } else if (source_.valid() && !held_) {
    set.add(source_.get(), POLLIN);
  }
}

bool OutputRelay::step() {
  bool wrote = false;
  for (int round = 0; round < kRounds; ++round) {
    if (!flush() || !source_.valid() || held_) break;
    const Moved moved = splice_ ? move_spliced() : move_buffered();
    wrote = wrote || moved == Moved::something;
    if (moved == Moved::nothing) break;
  }
  return wrote;
}

OutputRelay::Moved OutputRelay::move_spliced() {
  const std::size_t most = std::min(kSplice, left_.value_or(kSplice));
  if (most == 0) return end_of_stream();
  const ssize_t moved = ::splice(source_.get(), nullptr, sink_.poll_fd(), nullptr, most,
                                 SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (moved == 0) return end_of_stream();
  if (moved > 0) {
    meter_.count(static_cast<std::uint64_t>(moved));
    delivered_ += static_cast<std::uint64_t>(moved);
    if (left_) *left_ -= static_cast<std::size_t>(moved);
    sink_full_ = false;
    return Moved::something;
  }
  if (errno == EINTR) return Moved::nothing;
  if (errno == EAGAIN) {
    // Either side may have been the reason; only the full sink is worth waiting for with data here.
    sink_full_ = os::bytes_waiting(source_.get()) != 0;
    if (!sink_full_ && left_) return end_of_stream();
    return Moved::nothing;
  }
  if (errno == EINVAL || errno == ENOSYS) {
    splice_ = false;  // this file system cannot
    return Moved::nothing;
  }
  lose(errno);
  return Moved::end;
}

OutputRelay::Moved OutputRelay::move_buffered() {
  if (!buffer_) buffer_ = std::make_unique_for_overwrite<char[]>(kBuffer);
  const std::size_t most = std::min(kBuffer, left_.value_or(kBuffer));
  if (most == 0) return end_of_stream();
  const ssize_t got = ::read(source_.get(), buffer_.get(), most);
  if (got < 0 && errno == EINTR) return Moved::nothing;
  if (got < 0 && errno == EAGAIN) return left_ ? end_of_stream() : Moved::nothing;
  // A master whose terminal nobody holds any more fails with EIO: the end, like 0.
  if (got <= 0) return end_of_stream();
  if (left_) *left_ -= static_cast<std::size_t>(got);
  pending_ = meter_.feed({buffer_.get(), static_cast<std::size_t>(got)});
  flush();
  return Moved::something;
}

OutputRelay::Moved OutputRelay::end_of_stream() {
  source_.reset();
  tail_ = meter_.finish();
  pending_ = tail_;
  flush();
  return Moved::end;
}

bool OutputRelay::flush() {
  while (!pending_.empty()) {
    const auto taken = sink_.write(pending_);
    if (!taken) {
      lose(taken.error().value);
      return false;
    }
    sink_full_ = *taken == 0;
    if (sink_full_) return false;
    if (screen_) screen_->see(pending_.substr(0, *taken));
    pending_.remove_prefix(*taken);
    delivered_ += *taken;
  }
  if (!splice_) sink_full_ = false;
  return true;
}

void OutputRelay::tree_ended() {
  if (!source_.valid()) return;
  left_ = from_pty_ ? kPtyRest : os::bytes_waiting(source_.get());
  held_ = false;
}

void OutputRelay::lose(int error) {
  lost_ = error;
  abandon();
}

void OutputRelay::put_back_screen() {
  if (!screen_ || lost_ != 0) return;
  const auto undo = screen_->undo();
  screen_.reset();
  if (!undo.view().empty()) (void)sink_.write(undo.view());
}

void OutputRelay::abandon() {
  if (source_.valid()) (void)meter_.finish();
  source_.reset();
  pending_ = {};
  sink_full_ = false;
}

}  // namespace sbx::supervise
