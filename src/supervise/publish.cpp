// The end of a run: what is decided about it, and how that reaches the caller.
#include <poll.h>
#include <signal.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "supervise/redaction.hpp"
#include "supervise/run.hpp"

namespace sbx::supervise {
namespace {

bool asks_to_end(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

}  // namespace

void Run::deliver_rest() {
  // No limit of the run applies any more: it is over, and only the caller's reader is slow.
  streams_.tree_ended();
  set_.clear();
  move(now_ns());
  while (!streams_.done()) {
    set_.clear();
    wait(next_wake());
    if (asked_to_end()) {
      streams_.abandon();
      outcome_.undelivered.emplace_back("the rest of the output was dropped: sbx was asked to end");
    }
    move(now_ns());
  }
}

void Run::conclude() {
  streams_.finish(outcome_);
  if (sandbox_ && sandbox_->copied().any) {
    outcome_.copied = true;
    outcome_.warnings.emplace_back(
        "overlayfs refuses the workspace, so that the command had a copy of it (degrade: overlay)");
  }
  // Only the rest of the output has shown it, or the command was faster than we.
  if (!evidence_.setup_error && evidence_.killed_for == KilledFor::nothing && leaked())
    evidence_.killed_for = KilledFor::leak;
  decide(evidence_, plan_, outcome_);
  if (plan_.keep) {
    enter(sinks_.clock, Stage::keep);
    changes_.finish(plan_, outcome_);
    enter(sinks_.clock, Stage::report);
  }
  if (plan_.artifacts) collect_artifacts();
  redact_words(outcome_);
  const Nanos now = now_ns();
  if (!evidence_.setup_error) events_.exit(now, outcome_);
  if (sinks_.clock != nullptr) outcome_.timing = sinks_.clock->timing(plan_);
}

void Run::collect_artifacts() {
  enter(sinks_.clock, Stage::collect);
  artifacts_.finish(now_ns() - started_, plan_, [this] { return asked_to_end(); }, outcome_);
  for (const artifacts::Artifact& artifact : outcome_.artifacts)
    events_.artifact(now_ns(), to_json(artifact));
  enter(sinks_.clock, Stage::report);
}

void Run::account_for_denials() {
  outcome_.denials = denials_.take();
  outcome_.observations = denials_.take_observations();
  evidence_.filter_kill = denials_.killed_payload();
  if (denials_.others() > 0)
    outcome_.warnings.push_back("denials: not listed, because there were too many kinds: " +
                                std::to_string(denials_.others()));
}

void Run::publish() {
  if (!events_.enabled() && sinks_.results.empty()) return;
  std::string line = to_json(outcome_, plan_);
  events_.result(now_ns(), line);
  line += '\n';
  for (const int fd : sinks_.results) {
    if (!write_result(fd, line))
      outcome_.undelivered.push_back(std::string("the result could not be written: ") +
                                     ::strerrordesc_np(errno));
  }
  events_.step(now_ns());
  while (!events_.idle() && !events_.stalled()) {
    set_.clear();
    wait(next_wake());
    if (asked_to_end()) return;
    events_.step(now_ns());
  }
}

bool Run::write_result(int fd, std::string_view line) {
  Sink sink(fd, kind_of(fd));
  while (!line.empty()) {
    const auto taken = sink.write(line);
    if (!taken) {
      errno = taken.error().value;
      return false;
    }
    line.remove_prefix(*taken);
    if (*taken != 0) continue;
    pollfd ready[] = {{sink.poll_fd(), POLLOUT, 0}, {gate_.fd(), POLLIN, 0}};
    (void)::ppoll(ready, 2, nullptr, nullptr);
    if (asked_to_end()) {
      errno = EINTR;
      return false;
    }
  }
  return true;
}

bool Run::asked_to_end() {
  bool asked = false;
  while (const int signal = gate_.take()) {
    asked = asked || asks_to_end(signal);
    if (signal == SIGTSTP) stop_and_resume(now_ns());
    if (signal == SIGCONT) streams_.after_resume();
  }
  return asked;
}

}  // namespace sbx::supervise
