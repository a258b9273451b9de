// A v2 group's memory.events, kept open: the kernel says through poll(2) when a number in it
// changes. Runs in the supervisor.
#pragma once

#include <cstdint>
#include <optional>

#include "os/fd.hpp"

namespace sbx::os {

class MemoryEvents {
 public:
  MemoryEvents() = default;  ///< of no group
  /// `dir_fd`: the group's open folder. Without such a file nothing is ever told.
  explicit MemoryEvents(int dir_fd);

  /// -1: none. Ready for POLLPRI after a change, until high() has looked.
  [[nodiscard]] int fd() const { return file_.get(); }
  /// How often the group was slowed down because it was above memory.high; nullopt: cannot be read.
  std::optional<std::uint64_t> high();

 private:
  UniqueFd file_;
};

}  // namespace sbx::os
