// A limit that nobody keeps for us: a figure of the tree is looked at now and then, and a run that
// is over is ended. Its memory where there is no cgroup (os/tree_sample.hpp), what no cgroup counts
// of its sockets (os/unread.hpp), and the kernel's kills where one of them is to end the whole tree
// (os/cgroup_stats.hpp). Pure; the caller looks.
#pragma once

#include <cstdint>
#include <optional>

#include "supervise/clock.hpp"

namespace sbx::supervise {

class TreeWatch {
 public:
  /// A page is zeroed in about a microsecond, so a limit is overrun by some tens of MiB at most
  /// before the next look; a look at memory costs 0.1 ms a process, one at the kills 0.01 ms.
  static constexpr Nanos kOften = 20 * kMillisecond;

  /// `longest`: of those that may be longer, as below.
  explicit TreeWatch(std::optional<std::uint64_t> limit, Nanos interval = kOften, Nanos longest = 0)
      : limit_(limit), interval_(interval), longest_(longest) {}

  /// The first look is not at once.
  void begin(Nanos now) { next_ = now + interval_; }

  [[nodiscard]] bool due(Nanos now) const { return limit_ && !over() && now >= next_; }
  [[nodiscard]] std::optional<Nanos> next() const {
    return limit_ && !over() ? std::optional(next_) : std::nullopt;
  }
  /// `used`: nullopt: nothing is to be seen, such as when the tree is gone.
  void note(Nanos now, std::optional<std::uint64_t> used);
  /// `used`, and it cannot grow by more than `fastest` in a second: the next look is not before it
  /// could reach the limit, or `longest` has passed, but `interval` away at least.
  void note_slow(Nanos now, std::uint64_t used, double fastest);
  [[nodiscard]] bool over() const { return limit_ && peak_ > *limit_; }
  /// The most that was seen; nullopt: nobody looked, or what was looked at had just ended.
  [[nodiscard]] std::optional<std::uint64_t> peak() const;
  [[nodiscard]] std::uint64_t last() const { return last_; }
  [[nodiscard]] std::uint64_t limit() const { return limit_.value_or(0); }

 private:
  std::optional<std::uint64_t> limit_;
  Nanos interval_;
  Nanos longest_;
  std::uint64_t peak_ = 0;
  std::uint64_t last_ = 0;
  Nanos next_ = 0;
};

}  // namespace sbx::supervise
