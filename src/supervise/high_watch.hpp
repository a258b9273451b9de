// limits.memory_high on v2: tells once when the tree goes above it. Who does not set the key, or
// does not read events, pays nothing for it.
#pragma once

#include <cstddef>

#include "os/memory_events.hpp"
#include "supervise/poll_set.hpp"

namespace sbx::supervise {

class HighWatch {
 public:
  /// `group`: the open folder of the group that has the limit.
  void start(int group);
  void watch(PollSet& set);
  /// True once: the limit was crossed since the start.
  bool crossed(const PollSet& set);
  /// It was started, and has not seen the limit crossed.
  [[nodiscard]] bool waiting() const { return events_.fd() >= 0; }

 private:
  os::MemoryEvents events_;
  std::size_t index_ = kNotPolled;
};

}  // namespace sbx::supervise
