// One epoll(7) for everything that the gateway waits for, with timers. No threads.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::egress {

using Nanos = std::int64_t;  ///< CLOCK_MONOTONIC
inline constexpr Nanos kMilli = 1'000'000;
inline constexpr Nanos kSecond = 1'000'000'000;

/// Is told of its descriptors; level-triggered.
class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  virtual ~Watcher() = default;
  /// `fd` as it was added; `events` of epoll_ctl(2).
  virtual void ready(int fd, std::uint32_t events) = 0;
};

class Loop;

/// One point in time; gone with its owner.
class Alarm {
 public:
  Alarm(Loop& loop, Watcher& owner) : loop_(loop), owner_(owner) {}
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  ~Alarm() { cancel(); }
  /// Replaces what was set. When it is due, the owner's ready(-1, 0) is called once.
  void set(Nanos when);
  void cancel();
  [[nodiscard]] bool is_set() const { return when_.has_value(); }

 private:
  friend class Loop;
  Loop& loop_;
  Watcher& owner_;
  std::optional<Nanos> when_{};
};

class Loop {
 public:
  SysResult<void> open();
  /// Readable when step() has something to do; not for timers, see next().
  [[nodiscard]] int fd() const { return epoll_.get(); }

  SysResult<void> add(int fd, std::uint32_t events, Watcher& watcher);
  SysResult<void> change(int fd, std::uint32_t events, Watcher& watcher);
  /// Before `fd` is closed. Nothing more is told of it, not even of this round.
  void remove(int fd);

  /// Handles what is ready and due, for a few milliseconds at most.
  void step();
  [[nodiscard]] Nanos now() const { return now_; }  ///< as of this round
  [[nodiscard]] std::optional<Nanos> next() const;
  /// Lives until the round is over: for a watcher that ends itself in ready().
  void bury(std::unique_ptr<Watcher> watcher) { buried_.push_back(std::move(watcher)); }

 private:
  friend class Alarm;
  static constexpr std::size_t kAtOnce = 64;

  bool round();
  void ring();

  os::UniqueFd epoll_{};
  Nanos now_ = 0;
  std::array<epoll_event, kAtOnce> batch_{};
  std::size_t batch_size_ = 0;
  std::size_t batch_at_ = 0;
  std::vector<Watcher*> by_fd_{};  ///< index: the descriptor; nullptr: not watched
  std::set<std::pair<Nanos, Alarm*>> alarms_{};
  std::vector<std::unique_ptr<Watcher>> buried_{};
};

}  // namespace sbx::egress
