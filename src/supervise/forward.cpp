// The rules of forwarding as one switch.
#include "supervise/forward.hpp"

#include <signal.h>

#include <algorithm>

namespace sbx::supervise {
namespace {

constexpr Nanos kShortestGrace = 2 * kSecond;

}  // namespace

Forwarder::Forwarder(Nanos grace) : grace_(std::max(grace, kShortestGrace)) {}

Forwarder::Act Forwarder::on_signal(int signal, Nanos now) {
  switch (signal) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
    case SIGQUIT:
      if (is_same_hangup(signal, now)) return Act::nothing;
      if (asked_ != 0) {
        kill_at_.reset();
        return Act::kill;
      }
      asked_ = signal;
      asked_at_ = now;
      if (signal == SIGTERM || signal == SIGHUP) kill_at_ = now + grace_;
      return Act::forward;
    case SIGTSTP:
      return Act::stop;
    case SIGCONT:
      return Act::resume;
    case SIGWINCH:
      return Act::resize;
    case SIGUSR1:
    case SIGUSR2:
      return Act::pass;
    default:
      return Act::nothing;
  }
}

bool Forwarder::is_same_hangup(int signal, Nanos now) const {
  const auto ends_session = [](int one) { return one == SIGHUP || one == SIGTERM; };
  return ends_session(signal) && ends_session(asked_) && (signal == SIGHUP || asked_ == SIGHUP) &&
         now - asked_at_ < kSecond;
}

void Forwarder::shift(Nanos stopped) {
  asked_at_ += stopped;
  if (kill_at_) *kill_at_ += stopped;
}

bool Forwarder::overdue(Nanos now) {
  if (!kill_at_ || now < *kill_at_) return false;
  kill_at_.reset();
  return true;
}

}  // namespace sbx::supervise
