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
  peak_ = std::max(peak_, used.value_or(0));
}

std::optional<std::uint64_t> TreeWatch::peak() const {
  return peak_ > 0 ? std::optional(peak_) : std::nullopt;
}

}  // namespace sbx::supervise
