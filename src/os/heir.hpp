// Who clears up when we are gone, however that comes: a process of its own, which only waits for
// that. (Killed together with us, it leaves what there is to whoever sweeps.)
#pragma once

#include <sys/types.h>

#include <utility>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

class Heir {
 public:
  /// When we are gone, and all whom we have forked since and who have executed nothing, it calls
  /// `last` in its copy of our memory. It has what is open here, but for the standard streams; what
  /// asks us, or our process group, to end does not reach it.
  static SysResult<Heir> start(void (*last)(void*) noexcept, void* argument);
  Heir(Heir&& other) noexcept : pid_(std::exchange(other.pid_, 0)), line_(std::move(other.line_)) {}
  Heir& operator=(Heir&&) = delete;
  Heir(const Heir&) = delete;
  Heir& operator=(const Heir&) = delete;
  /// Nobody is needed any more.
  ~Heir();

 private:
  Heir(pid_t pid, UniqueFd line) : pid_(pid), line_(std::move(line)) {}

  pid_t pid_;
  UniqueFd line_;  ///< who has it open is alive
};

}  // namespace sbx::os
