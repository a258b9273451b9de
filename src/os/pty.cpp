// Runs in the supervisor.
#include "os/pty.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"

namespace sbx::os {

bool in_foreground(int fd) {
  const pid_t group = ::tcgetpgrp(fd);
  // No controlling terminal of ours (ENOTTY): nobody else's job control stands in the way.
  return group < 0 || group == ::getpgrp();
}

unsigned terminal_columns(int fd) {
  struct ::winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void copy_window_size(int from, int master) {
  winsize size{};
  if (::ioctl(from, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    size = {.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
  (void)::ioctl(master, TIOCSWINSZ, &size);
}

SysResult<UniqueFd> open_pty_peer(int master) {
  UniqueFd peer(::ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!peer.valid()) return fail();
  return peer;
}

int end_of_file_byte(int master) {
  termios settings{};
  if (::tcgetattr(master, &settings) != 0 || (settings.c_lflag & ICANON) == 0) return -1;
  return settings.c_cc[VEOF];
}

void RawTerminal::enter() {
  if (!in_foreground(fd_)) return;
  if (!raw_) {
    if (::tcgetattr(fd_, &saved_) != 0) return;
    raw_settings_ = saved_;
    ::cfmakeraw(&raw_settings_);
  }
  // TCSANOW: draining would wait for a terminal that is stopped by ^S or that nobody reads.
  raw_ = ::tcsetattr(fd_, TCSANOW, &raw_settings_) == 0;
}

void RawTerminal::leave() {
  // In the background the settings are those of the job in front, which did not ask for ours.
  if (raw_ && in_foreground(fd_)) (void)::tcsetattr(fd_, TCSANOW, &saved_);
  raw_ = false;
}

}  // namespace sbx::os
