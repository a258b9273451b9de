// When each step of a plan began and ended, for `sbx run --timing`: an array in memory that init
// and payload share with the supervisor. Nobody asked for it: a branch before and after each step.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sbx::launch {

/// CLOCK_MONOTONIC in nanoseconds, of the calling process's time namespace. The vdso reads it, so
/// it is no system call that a filter would see, unless the host's clock source cannot be read so.
std::uint64_t monotonic_ns() noexcept;

/// Of one step, and written by the one process that does it.
struct StepTime {
  std::atomic<std::uint64_t> start_ns{0};  ///< 0: it was not reached
  std::atomic<std::uint64_t> end_ns{0};    ///< 0: it did not come to its end
  std::atomic<std::int32_t> error{0};      ///< the errno it failed with
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Takes the times of steps, or does nothing. A copy writes into the same memory.
class StepClock {
 public:
  StepClock() = default;
  explicit StepClock(StepTime* times) : times_(times) {}
  void begin(std::size_t step) const noexcept {
    if (times_ != nullptr) times_[step].start_ns.store(monotonic_ns(), std::memory_order_relaxed);
  }
  void end(std::size_t step, int error = 0) const noexcept {
    if (times_ == nullptr) return;
    times_[step].error.store(error, std::memory_order_relaxed);
    times_[step].end_ns.store(monotonic_ns(), std::memory_order_relaxed);
  }

 private:
  StepTime* times_ = nullptr;
};

/// The same as plain numbers.
struct StepSpan {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  int error = 0;
};

/// The array, unmapped with its owner.
class StepTimes {
 public:
  StepTimes() = default;
  StepTimes(const StepTimes&) = delete;
  StepTimes& operator=(const StepTimes&) = delete;
  ~StepTimes();
  /// Maps room for a plan of `steps` steps and, behind them, for the command itself, of which init
  /// sees the end. False with errno set when the kernel refuses.
  bool map(std::size_t steps);
  [[nodiscard]] StepClock clock() const { return StepClock(times_); }
  [[nodiscard]] std::vector<StepSpan> read() const;  ///< empty: never mapped

 private:
  StepTime* times_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace sbx::launch
