// Monotonic time as the supervisor counts it: plain nanoseconds, the unit that the launcher
// reports.
#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>

namespace sbx::supervise {

/// CLOCK_MONOTONIC.
using Nanos = std::int64_t;

constexpr Nanos kMillisecond = 1'000'000;
constexpr Nanos kSecond = 1'000'000'000;

/// Without progress, before a reader is taken for one that reads no more.
constexpr Nanos kReaderPatience = 5 * kSecond;

inline Nanos now_ns() {
  // libstdc++'s steady_clock is CLOCK_MONOTONIC.
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds{1};
}

/// What this process has used of the processors so far.
inline Nanos cpu_ns() {
  ::timespec used{};
  (void)::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);  // cannot fail for ourselves
  return used.tv_sec * kSecond + used.tv_nsec;
}

constexpr double in_ms(Nanos duration) { return static_cast<double>(duration) / kMillisecond; }

inline Nanos to_nanos(std::chrono::milliseconds duration) {
  return duration.count() * kMillisecond;
}

}  // namespace sbx::supervise
