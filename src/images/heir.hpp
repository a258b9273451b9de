// Who removes what is half unpacked when its run is killed: a process of its own, which only waits
// for that. (Killed together with it, what stays is for store_sweep.hpp.)
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::images {

class Heir {
 public:
  /// For the folder `name` of `store`, open at `folder`. When we have gone, and all whom we have
  /// forked since, it removes that folder, if it still has this name.
  static SysResult<Heir> of(int store, int folder, const std::string& name);
  Heir(Heir&& other) noexcept : pid_(std::exchange(other.pid_, 0)), line_(std::move(other.line_)) {}
  Heir& operator=(Heir&&) = delete;
  Heir(const Heir&) = delete;
  Heir& operator=(const Heir&) = delete;
  /// Nobody is needed any more.
  ~Heir();

 private:
  Heir(pid_t pid, os::UniqueFd line) : pid_(pid), line_(std::move(line)) {}

  pid_t pid_;
  os::UniqueFd line_;  ///< who has it open is alive
};

}  // namespace sbx::images
