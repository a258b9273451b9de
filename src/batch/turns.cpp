#include "batch/turns.hpp"

namespace sbx::batch {

std::optional<Turn> Turns::head() const {
  if (!returned_.empty()) return returned_.front();
  if (next_ < jobs_.size()) return Turn{jobs_[next_], 0};
  if (!retries_.empty()) return retries_.front();
  return std::nullopt;
}

void Turns::drop_head() {
  if (!returned_.empty())
    returned_.pop_front();
  else if (next_ < jobs_.size())
    ++next_;
  else
    retries_.pop_front();
}

}  // namespace sbx::batch
