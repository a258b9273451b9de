// Processor time that may be spent on somebody else's doings: it comes in slowly, and a little can
// be saved up.
#pragma once

#include "supervise/clock.hpp"

namespace sbx::supervise {

class Allowance {
 public:
  /// One part in so many of the time that passes. To answer is a fifth of what a call costs us, to
  /// wake up and look around the rest.
  static constexpr Nanos kShare = 50;

  void start(Nanos now, Nanos share = kShare) {
    seen_ = now;
    share_ = share;
  }
  /// Takes in what has come since, and pays for `took`; false: that was all.
  bool spend(Nanos took, Nanos now);
  /// When there is enough again to go on for a while.
  [[nodiscard]] Nanos enough_at() const;

 private:
  static constexpr Nanos kMostSaved = 50 * kMillisecond;
  static constexpr Nanos kWorthwhile = kMillisecond / 4;

  Nanos saved_ = kMostSaved;
  Nanos seen_ = 0;
  Nanos share_ = kShare;
};

}  // namespace sbx::supervise
