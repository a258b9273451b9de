#include "supervise/tree_watch.hpp"

#include <algorithm>

namespace sbx::supervise {

void TreeWatch::note(Nanos now, std::optional<std::uint64_t> used) {
  next_ = now + interval_;
  peak_ = std::max(peak_, used.value_or(0));
}

std::optional<std::uint64_t> TreeWatch::peak() const {
  return peak_ > 0 ? std::optional(peak_) : std::nullopt;
}

}  // namespace sbx::supervise
