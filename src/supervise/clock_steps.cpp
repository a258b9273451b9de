#include "supervise/clock_steps.hpp"

#include <time.h>

#include "changes/file_time.hpp"

namespace sbx::supervise {
namespace {

/// Cannot fail for these clocks.
std::int64_t read(::clockid_t clock) {
  ::timespec time{};
  (void)::clock_gettime(clock, &time);
  return changes::nanoseconds(time);
}

}  // namespace

ClockOffset clock_offset() {
  constexpr int kTries = 5;  // somebody else may get the processor in between
  ClockOffset best{};
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t before = read(CLOCK_BOOTTIME);
    const std::int64_t real = read(CLOCK_REALTIME);
    const std::int64_t after = read(CLOCK_BOOTTIME);
    if (i == 0 || after - before < best.most - best.least) best = {real - after, real - before};
  }
  return best;
}

std::int64_t set_back(const ClockOffset& then, const ClockOffset& now) {
  return now.most < then.least ? then.most - now.least : 0;
}

}  // namespace sbx::supervise
