// The loop's rounds. See epoll(7) on stale events: an event of a descriptor that was closed earlier
// in the same batch must not reach whoever has its number now.
#include "egress/loop.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/fail.hpp"

namespace sbx::egress {
namespace {

/// The supervisor has other descriptors to look after as well.
constexpr Nanos kMostTime = 2 * kMilli;

Nanos monotonic() {
  timespec time{};
  static_cast<void>(::clock_gettime(CLOCK_MONOTONIC, &time));
  return Nanos{time.tv_sec} * kSecond + time.tv_nsec;
}

SysResult<void> control(int epoll, int operation, int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll, operation, fd, &event) != 0) return fail();
  return {};
}

}  // namespace

void Alarm::set(Nanos when) {
  cancel();
  // Never of the round that runs already: an owner that always wants to be told at once would hold
  // it for ever.
  when_ = std::max(when, loop_.now_ + 1);
  loop_.alarms_.emplace(*when_, this);
}

void Alarm::cancel() {
  if (when_.has_value()) loop_.alarms_.erase({*when_, this});
  when_.reset();
}

SysResult<void> Loop::open() {
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_.valid()) return fail();
  now_ = monotonic();
  return {};
}

SysResult<void> Loop::add(int fd, std::uint32_t events, Watcher& watcher) {
  if (fd < 0) return std::unexpected(Errno{EBADF});
  SBX_CHECK(control(epoll_.get(), EPOLL_CTL_ADD, fd, events));
  const auto index = static_cast<std::size_t>(fd);
  if (by_fd_.size() <= index) by_fd_.resize(index + 1);
  by_fd_[index] = &watcher;
  return {};
}

SysResult<void> Loop::change(int fd, std::uint32_t events, Watcher& watcher) {
  SBX_CHECK(control(epoll_.get(), EPOLL_CTL_MOD, fd, events));
  by_fd_[static_cast<std::size_t>(fd)] = &watcher;
  return {};
}

void Loop::remove(int fd) {
  const auto index = static_cast<std::size_t>(fd);
  if (fd < 0 || index >= by_fd_.size() || by_fd_[index] == nullptr) return;
  by_fd_[index] = nullptr;
  // What can fail here is only that it is gone already.
  static_cast<void>(control(epoll_.get(), EPOLL_CTL_DEL, fd, 0));
  for (std::size_t at = batch_at_; at < batch_size_; ++at) {
    if (batch_[at].data.fd == fd) batch_[at].data.fd = -1;
  }
}

void Loop::step() {
  const Nanos end = monotonic() + kMostTime;
  while (round() && now_ < end) {
  }
}

bool Loop::round() {
  const int found = ::epoll_wait(epoll_.get(), batch_.data(), static_cast<int>(batch_.size()), 0);
  now_ = monotonic();
  batch_size_ = found > 0 ? static_cast<std::size_t>(found) : 0;
  for (batch_at_ = 0; batch_at_ < batch_size_;) {
    const epoll_event event = batch_[batch_at_++];
    if (event.data.fd < 0) continue;
    Watcher* watcher = by_fd_[static_cast<std::size_t>(event.data.fd)];
    if (watcher != nullptr) watcher->ready(event.data.fd, event.events);
  }
  batch_size_ = 0;
  ring();
  // One that ends may bury others.
  while (!buried_.empty()) std::exchange(buried_, {}).clear();
  return found > 0;
}

void Loop::ring() {
  while (!alarms_.empty() && alarms_.begin()->first <= now_) {
    Alarm& alarm = *alarms_.begin()->second;
    Watcher& owner = alarm.owner_;
    alarm.cancel();
    owner.ready(-1, 0);
  }
}

std::optional<Nanos> Loop::next() const {
  if (!buried_.empty()) return now_;  // outside of a round: let there be one
  if (alarms_.empty()) return std::nullopt;
  return alarms_.begin()->first;
}

}  // namespace sbx::egress
