// The caller's terminal while a sandbox has a pty of its own: raw, and always put back.
#pragma once

#include <termios.h>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// Is our process group the one that may use the terminal behind `fd` now?
bool in_foreground(int fd);

/// Gives `master`'s pty the window size of the terminal behind `from`, or 80 by 24 when that has
/// none.
void copy_window_size(int from, int master);

/// How wide the terminal behind `fd` is; 0: it is none, or does not say.
unsigned terminal_columns(int fd);

/// The other side of `master`'s pty, to be held so that the master does not report the end whenever
/// no process inside happens to hold the terminal. Linux 4.13; fails where devpts is out of reach.
SysResult<UniqueFd> open_pty_peer(int master);

/// The byte that means end of file on the pty behind `master`; -1 when it is not
/// reading by lines, where no such byte exists (termios(3), VEOF).
int end_of_file_byte(int master);

/// Keeps the caller's terminal raw between enter() and leave(); destruction leaves too.
class RawTerminal {
 public:
  explicit RawTerminal(int fd) : fd_(fd) {}
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  RawTerminal(RawTerminal&&) = delete;
  RawTerminal& operator=(RawTerminal&&) = delete;
  ~RawTerminal() { leave(); }

  /// Remembers the settings and makes the terminal raw, or raw again after SIGCONT. Does nothing
  /// while in the background (the job in front owns the settings) or when `fd` is no terminal.
  void enter();
  /// Puts the remembered settings back.
  void leave();

 private:
  int fd_;
  bool raw_ = false;
  termios saved_{};
  termios raw_settings_{};
};

}  // namespace sbx::os
