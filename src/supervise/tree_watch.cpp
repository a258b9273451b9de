#include "supervise/tree_watch.hpp"

#include <algorithm>

namespace sbx::supervise {

void TreeWatch::note(Nanos now, std::optional<std::uint64_t> used) {
  next_ = now + interval_;
  last_ = used.value_or(0);
  peak_ = std::max(peak_, last_);
}

void TreeWatch::note_slow(Nanos now, std::uint64_t used, double fastest) {
  note(now, used);
  if (over() || !limit_) return;
  const double seconds = static_cast<double>(*limit_ - used) / fastest;
  const auto longest = static_cast<double>(longest_);
  next_ = now + std::max(interval_, static_cast<Nanos>(std::min(seconds * kSecond, longest)));
}

std::optional<std::uint64_t> TreeWatch::peak() const {
  return peak_ > 0 ? std::optional(peak_) : std::nullopt;
}

}  // namespace sbx::supervise
