// What signals to sbx do to the run: they ask for its end, stop it with us, or tell of the
// terminal.
#include <signal.h>

#include "supervise/run.hpp"

namespace sbx::supervise {

void Run::take_signals() {
  while (const int signal = gate_.take()) {
    const Nanos now = now_ns();
    switch (forwarder_.on_signal(signal, now)) {
      case Forwarder::Act::nothing:
        break;
      case Forwarder::Act::forward:
        evidence_.interrupt_signal = signal;
        if (paused_since_) (void)resume();  // else it cannot heed it
        if (!tree_ended_) send(signal, "forwarded");
        break;
      case Forwarder::Act::pass:
        if (!tree_ended_) send(signal, "forwarded");
        break;
      case Forwarder::Act::kill:
        if (!tree_ended_) end_run(KilledFor::interrupt, now, 0);
        break;
      case Forwarder::Act::stop:
        stop_and_resume();
        break;
      case Forwarder::Act::resume:
        if (!tree_ended_ && !paused_since_) sandbox_->signal_payload(SIGCONT);
        streams_.after_resume();
        break;
      case Forwarder::Act::resize:
        streams_.resize();
        break;
    }
  }
}

void Run::stop_and_resume() {
  // A paused tree stands still already, and is to go on doing so.
  const bool stop = sandbox_ && !tree_ended_ && !paused_since_;
  const Nanos began = now_ns();
  // By its group where it has one: of SIGSTOP a process can have a SIGCONT of its own timer wake
  // it.
  const bool frozen = stop && freeze();
  if (stop && !frozen) sandbox_->signal_payload(SIGTSTP);  // init stops the whole tree
  streams_.before_stop();
  gate_.stop_self();
  const Nanos now = now_ns();
  if (!paused_since_) deadlines_.shift(now - began, now);
  escalation_.shift(now - began);
  forwarder_.shift(now - began);
  events_.shift(now - began);
  if (frozen) (void)sandbox_->resume();
  if (stop && !frozen) sandbox_->signal_payload(SIGCONT);
  streams_.after_resume();
}

bool Run::freeze() {
  denials_.answer_all(now_ns(), tell_denial());  // who waits for an answer cannot be frozen
  return sandbox_->pause().has_value();
}

}  // namespace sbx::supervise
