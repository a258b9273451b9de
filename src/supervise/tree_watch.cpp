#include "supervise/tree_watch.hpp"

#include <algorithm>

namespace sbx::supervise {
namespace {

// A page is zeroed in about a microsecond, so a limit is overrun by some tens of MiB at most before
// the next look; a look at memory costs 0.1 ms a process, one at the kills 0.01 ms.
constexpr Nanos kInterval = 20 * kMillisecond;

}  // namespace

void TreeWatch::note(Nanos now, std::optional<std::uint64_t> used) {
  next_ = now + kInterval;
  if (used.value_or(0) == 0) return;  // no process without memory: what it looked at had ended
  seen_ = true;
  peak_ = std::max(peak_, *used);
}

std::optional<std::uint64_t> TreeWatch::peak() const {
  return seen_ ? std::optional(peak_) : std::nullopt;
}

}  // namespace sbx::supervise
