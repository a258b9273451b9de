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

  /// `child` has just been forked by us, and goes on. fork(2) leaves it behind us in our queue when
  /// no processor is idle at that moment, and one that gets idle later mostly does not fetch it
  /// from there: it would begin when we sleep. Moves it to another one, where there is one and the
  /// host is not busy.
  void send_away(pid_t child) const noexcept;
  /// For the child, once send_away() has returned: it may run on all of them again.
  void take_all() const noexcept;

 private:
  cpu_set_t all_{};
};

}  // namespace sbx::os
