// Whether a process tree has done anything since somebody looked at it: a look costs 0.1 ms a
// process, and most trees that live for long wait for something.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <cstdint>
#include <vector>

namespace sbx::os {

/// The processor time of each process in the tree. One that has had no processor has taken no
/// memory and has forked nobody.
class TreeClocks {
 public:
  /// Before anything else of this process is read, so that what it does meanwhile shows.
  void add(pid_t process);
  /// There are others.
  void miss() { complete_ = false; }
  /// Has none of them had a processor since? False as well when one has gone, and when it was true
  /// several times: the kernel adds up what a process uses when it lets go of its processor or at
  /// the tick of a clock, of which some hosts have only one a second (nohz_full).
  [[nodiscard]] bool stand_still();

 private:
  struct Clock {
    ::clockid_t id = 0;
    std::uint64_t ns = 0;
  };

  std::vector<Clock> clocks_{};
  bool complete_ = true;
  int stood_ = 0;
};

}  // namespace sbx::os
