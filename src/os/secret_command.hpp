// A command of the caller's that prints a secret: run by /bin/sh as the caller, without input, with
// the caller's standard error and terminal, in the caller's process group (a passphrase may have to
// be typed).
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

class SecretCommand {
 public:
  /// `mask`: of its signals.
  static SysResult<SecretCommand> start(const std::string& text, const sigset_t& mask);
  SecretCommand(SecretCommand&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)),
        pidfd_(std::move(other.pidfd_)),
        output_(std::move(other.output_)),
        adopts_(std::exchange(other.adopts_, false)) {}
  SecretCommand(const SecretCommand&) = delete;
  SecretCommand& operator=(const SecretCommand&) = delete;
  SecretCommand& operator=(SecretCommand&&) = delete;
  /// If it has not ended, kills it and all that it has started.
  ~SecretCommand();

  [[nodiscard]] int output() const { return output_.get(); }
  /// Its wait status; -1: it has not ended by then, or `interrupt` is readable.
  int wait(std::chrono::milliseconds patience, int interrupt);

 private:
  SecretCommand(pid_t pid, UniqueFd pidfd, UniqueFd output)
      : pid_(pid), pidfd_(std::move(pidfd)), output_(std::move(output)) {}

  void end_all();

  pid_t pid_ = 0;
  UniqueFd pidfd_;
  UniqueFd output_;
  bool adopts_ = true;
};

}  // namespace sbx::os
