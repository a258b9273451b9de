#include "os/tree_times.hpp"

#include <algorithm>
#include <iterator>

namespace sbx::os {
namespace {

void add(CpuTime& sum, const CpuTime& more) { sum = plus(sum, more); }

}  // namespace

void TreeTimes::see(Living& process, const ProcessTime& time) {
  if (process.started != time.started) process = {.started = time.started};
  process.look = looks_;
  const CpuTime before = process.own;
  process.own = {std::max(before.user_us, time.own.user_us),
                 std::max(before.system_us, time.own.system_us)};
  add(seen_, {process.own.user_us - before.user_us, process.own.system_us - before.system_us});
}

void TreeTimes::note(const TreeSample& sample) {
  ++looks_;
  CpuTime waited;
  for (const ProcessTime& time : sample.times) {
    see(living_[time.pid], time);
    add(waited, time.own);
    add(waited, time.children);
  }
  if (waited.sum() > waited_.sum()) waited_ = waited;
  // A look may miss one that lives, which must not be counted anew when the next one finds it.
  for (auto known = living_.begin(); known != living_.end();) {
    auto& [pid, process] = *known;
    const auto time = process.look == looks_ ? std::nullopt : read_process_time(pid);
    const bool lives = process.look == looks_ || (time && time->started == process.started);
    if (time && lives) see(process, *time);
    known = lives ? std::next(known) : living_.erase(known);
  }
}

std::optional<CpuTime> TreeTimes::used() const {
  if (looks_ == 0) return std::nullopt;
  return seen_.sum() > waited_.sum() ? seen_ : waited_;
}

}  // namespace sbx::os
