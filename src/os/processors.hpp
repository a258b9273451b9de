// On which processor the kernel begins a new process, where that decides how long it waits.
#pragma once

#include <sched.h>
#include <sys/types.h>

namespace sbx::os {

/// Those that this process may run on (sched_setaffinity(2)). Async-signal-safe.
class Processors {
 public:
  /// None of a host with more of them than a cpu_set_t has: nothing is moved there.
  static Processors usable() noexcept;

  /// `child` has just been forked by us, and goes on, as we do. fork(2) may leave it in our queue,
  /// also when another processor is idle, and no other fetches it from there: it would begin, or go
  /// on, when we sleep. Moves it to another one, where there is one.
  void send_away(pid_t child) const noexcept;
  /// We are about to wait for `child`, which has not come far where it was sent to: somebody else
  /// has that processor, and keeps it for the rest of his time slice, of whatever weight he is. It
  /// gets ours.
  void call_back(pid_t child) const noexcept;
  /// For the child, once it is not moved any more: it may run on all of them again.
  void take_all() const noexcept;

 private:
  cpu_set_t all_{};
};

}  // namespace sbx::os
