// Runs in the supervisor only; init and the payload get default dispositions and an empty mask.
#include "os/signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/fail.hpp"

namespace sbx::os {
namespace {

constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr int kOthers[] = {SIGTSTP, SIGCONT, SIGWINCH, SIGUSR1, SIGUSR2};

/// A blocked signal reaches a signalfd even when its disposition is to be ignored (signal(7)), so
/// what the caller ignores must be left out by hand.
bool ignored(int signal) {
  struct sigaction now{};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void add_unless_ignored(sigset_t& set, int signal) {
  if (!ignored(signal)) sigaddset(&set, signal);
}

}  // namespace

bool end_is_pending() noexcept {
  sigset_t pending;
  if (::sigpending(&pending) != 0) return false;
  return std::ranges::any_of(kEnding,
                             [&](int signal) { return ::sigismember(&pending, signal) == 1; });
}

SysResult<void> SignalGate::open() {
  sigset_t ending;
  sigemptyset(&ending);
  for (const int signal : kEnding) add_unless_ignored(ending, signal);
  blocked_ = ending;
  for (const int signal : kOthers) add_unless_ignored(blocked_, signal);
  // Blocked but never read: using the caller's terminal from the background then fails with EIO
  // instead of stopping the process that enforces the limits.
  sigset_t mask = blocked_;
  sigaddset(&mask, SIGTTIN);
  sigaddset(&mask, SIGTTOU);
  if (::sigprocmask(SIG_BLOCK, &mask, &old_mask_) != 0) return fail();
  open_ = true;
  fd_.reset(::signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_.valid()) return fail();
  return {};
}

SignalGate::~SignalGate() {
  if (!open_) return;
  // A signal that came too late to matter must not end us between here and the last word.
  while (fd_.valid() && take() != 0) {
  }
  ::sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

bool SignalGate::watch_all() {
  return ::signalfd(fd_.get(), &blocked_, SFD_CLOEXEC | SFD_NONBLOCK) >= 0;
}

int SignalGate::take() {
  signalfd_siginfo info;
  ssize_t got;
  do {
    got = ::read(fd_.get(), &info, sizeof info);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof info) ? static_cast<int>(info.ssi_signo) : 0;
}

void SignalGate::stop_self() {
  // The default action of SIGTSTP, taken while it is unblocked, is the stop that the caller's shell
  // expects to see; SIGSTOP would stop an orphaned group for good.
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  (void)::raise(SIGTSTP);
  ::sigprocmask(SIG_UNBLOCK, &stop, nullptr);
  ::sigprocmask(SIG_BLOCK, &stop, nullptr);
}

EndWatch::EndWatch() {
  sigset_t ending;
  sigemptyset(&ending);
  for (const int signal : kEnding) add_unless_ignored(ending, signal);
  (void)::sigprocmask(SIG_BLOCK, &ending, &old_mask_);  // cannot fail
  fd_.reset(::signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK));
}

EndWatch::~EndWatch() { (void)::sigprocmask(SIG_SETMASK, &old_mask_, nullptr); }

SignalHold::SignalHold() {
  sigemptyset(&held_);
  for (const int signal : kEnding) sigaddset(&held_, signal);
  holds_ = ::sigprocmask(SIG_BLOCK, &held_, &old_mask_) == 0;
}

SignalHold::~SignalHold() {
  if (!holds_) return;
  constexpr timespec kAtOnce{};
  while (::sigtimedwait(&held_, nullptr, &kAtOnce) > 0) {
  }
  ::sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

}  // namespace sbx::os
