// The signals the supervisor takes while a sandbox lives: blocked and read from a descriptor, so
// that one poll(2) sees them beside everything else.
#pragma once

#include <signal.h>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// Holds the process's signals for as long as it lives and gives them back as they were. Signals
/// that the caller ignores (nohup(1), a background job of a plain shell) stay ignored. Neither
/// copied nor moved.
class SignalGate {
 public:
  /// Blocks, and reads only those that ask us to end, until watch_all().
  SysResult<void> open();
  SignalGate() = default;
  SignalGate(const SignalGate&) = delete;
  SignalGate& operator=(const SignalGate&) = delete;
  SignalGate(SignalGate&&) = delete;
  SignalGate& operator=(SignalGate&&) = delete;
  ~SignalGate();

  /// A signalfd, readable when take() has something.
  [[nodiscard]] int fd() const { return fd_.get(); }
  /// From now on also SIGTSTP, SIGCONT, SIGWINCH, SIGUSR1 and SIGUSR2. False: they stay unread.
  bool watch_all();
  /// The next pending signal, or 0.
  [[nodiscard]] int take();
  /// Stops this process as SIGTSTP would have (not at all in an orphaned process group, see
  /// setpgid(2)), and returns when it runs again.
  void stop_self();

 private:
  UniqueFd fd_;
  sigset_t blocked_{};
  sigset_t old_mask_{};
  bool open_ = false;
};

/// Has one of the signals that ask us to end come, that is blocked and that nobody has read?
bool end_is_pending() noexcept;

/// While it lives the signals that ask us to end wait, for who has something to end before;
/// afterwards they do what they would have done. Those that the caller ignores stay so.
class EndWatch {
 public:
  EndWatch();
  EndWatch(const EndWatch&) = delete;
  EndWatch& operator=(const EndWatch&) = delete;
  EndWatch(EndWatch&&) = delete;
  EndWatch& operator=(EndWatch&&) = delete;
  ~EndWatch();

  /// Readable when one waits, and not to be read; invalid: there is no more room for a descriptor.
  [[nodiscard]] int fd() const { return fd_.get(); }
  /// The mask as it was, for a child.
  [[nodiscard]] const sigset_t& before() const { return old_mask_; }

 private:
  UniqueFd fd_;
  sigset_t old_mask_{};
};

/// Holds back, as long as it lives, the signals that ask us to end, for what must not be left
/// undone and takes no time. What a gate inside of that time has not read came too late to matter.
class SignalHold {
 public:
  SignalHold();
  SignalHold(const SignalHold&) = delete;
  SignalHold& operator=(const SignalHold&) = delete;
  SignalHold(SignalHold&&) = delete;
  SignalHold& operator=(SignalHold&&) = delete;
  ~SignalHold();

 private:
  sigset_t held_{};
  sigset_t old_mask_{};
  bool holds_ = false;
};

}  // namespace sbx::os
