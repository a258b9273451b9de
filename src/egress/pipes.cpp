#include "egress/pipes.hpp"

#include <utility>

namespace sbx::egress {

std::optional<os::Pipe> Pipes::borrow() {
  if (!idle_.empty()) {
    os::Pipe pipe = std::move(idle_.back());
    idle_.pop_back();
    ++lent_;
    return pipe;
  }
  if (lent_ >= kMostLent) return std::nullopt;
  auto made = os::make_pipe(kPipeBytes);
  if (!made) return std::nullopt;
  ++lent_;
  return std::move(*made);
}

void Pipes::give_back(os::Pipe pipe, bool empty) {
  --lent_;
  if (empty && idle_.size() < kMostIdle) idle_.push_back(std::move(pipe));
}

}  // namespace sbx::egress
