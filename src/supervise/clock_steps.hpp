// Whether the host's clock has been set back: files get their times from it, so that what is
// changed later may look older. Slewing it, as time servers do, is no step.
#pragma once

#include <cstdint>

namespace sbx::supervise {

/// How far CLOCK_REALTIME is ahead of CLOCK_BOOTTIME, in ns: only a step changes that. They cannot
/// be read at one moment, so it is between these two.
struct ClockOffset {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

ClockOffset clock_offset();

/// By how much it has been set back, in ns and rather more than less; 0: it has not.
std::int64_t set_back(const ClockOffset& then, const ClockOffset& now);

}  // namespace sbx::supervise
