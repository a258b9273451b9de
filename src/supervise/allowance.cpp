#include "supervise/allowance.hpp"

#include <algorithm>

namespace sbx::supervise {

bool Allowance::spend(Nanos took, Nanos now) {
  saved_ = std::min(kMostSaved, saved_ + (now - seen_) / share_) - took;
  seen_ = now;
  return saved_ > 0;
}

Nanos Allowance::enough_at() const { return seen_ + (kWorthwhile - saved_) * share_; }

}  // namespace sbx::supervise
