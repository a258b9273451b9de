#include "os/processors.hpp"

namespace sbx::os {
namespace {

/// Where a host refuses it, a child waits a little longer.
void let_run_on(pid_t who, const cpu_set_t& processors) noexcept {
  (void)::sched_setaffinity(who, sizeof processors, &processors);
}

}  // namespace

Processors Processors::usable() noexcept {
  Processors usable;
  if (::sched_getaffinity(0, sizeof usable.all_, &usable.all_) != 0) CPU_ZERO(&usable.all_);
  return usable;
}

void Processors::send_away(pid_t child) const noexcept {
  const int ours = ::sched_getcpu();
  if (ours < 0) return;
  cpu_set_t others = all_;
  CPU_CLR(static_cast<unsigned>(ours), &others);
  let_run_on(child, others);
}

void Processors::call_back(pid_t child) const noexcept {
  const int ours = ::sched_getcpu();
  if (ours < 0 || CPU_COUNT(&all_) < 2) return;
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(static_cast<unsigned>(ours), &here);
  let_run_on(child, here);
}

void Processors::take_all() const noexcept {
  // Refused only where send_away() was, or when none of them is in the cpuset that we have joined
  // since: that has undone it, too (cpuset(7)).
  let_run_on(0, all_);
}

}  // namespace sbx::os
