// The end of a run: what is decided about it, and how that reaches the caller.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "supervise/redaction.hpp"
#include "supervise/run.hpp"

namespace sbx::supervise {
namespace {

bool asks_to_end(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

/// Whatever the payload makes of it (supervise/forward.hpp).
bool asks_for_end_of_run(int signal) { return signal == SIGTERM || signal == SIGHUP; }

const char* why_undelivered(int error) {
  if (error == ETIMEDOUT) return "its reader took nothing for 5 seconds";
  return error == EINTR ? "sbx was asked to end" : ::strerrordesc_np(error);
}

}  // namespace

/// Not by itself: a limit, an interrupt or `sbx kill` did it.
bool Run::was_ended() const {
  if (evidence_.killed_for != KilledFor::nothing || asks_for_end_of_run(forwarder_.asked()))
    return true;
  if (!evidence_.wait_status || !WIFSIGNALED(*evidence_.wait_status)) return false;
  const int signal = WTERMSIG(*evidence_.wait_status);
  return signal == evidence_.interrupt_signal || signal == evidence_.command_signal;
}

void Run::deliver_rest() {
  // No limit of the run applies any more: it is over, and only the caller's reader is slow. It may
  // be so for long, unless the run was to end: then it has to go on taking.
  const bool bounded = outcome_.ended = was_ended();
  std::uint64_t taken = 0;
  const auto drop = [this](const char* why) {
    streams_.abandon();
    outcome_.undelivered.push_back(std::string("the rest of the output was dropped: ") + why);
  };
  streams_.tree_ended();
  set_.clear();
  move(now_ns());
  while (!streams_.done()) {
    const bool takes = !streams_.blocked() || streams_.delivered() != taken;
    if (bounded && (takes || !drop_due_)) drop_due_ = now_ns() + kReaderPatience;
    taken = streams_.delivered();
    set_.clear();
    wait(next_wake());
    const Nanos woke = now_ns();
    if (asked_to_end()) drop("sbx was asked to end");
    if (drop_due_) *drop_due_ += now_ns() - woke;  // we may have been stopped
    move(now_ns());
    if (drop_due_ && now_ns() >= *drop_due_ && streams_.blocked() && streams_.delivered() == taken)
      drop("its reader took nothing for 5 seconds");
  }
  drop_due_.reset();
}

void Run::conclude() {
  const bool too_much = streams_.must_kill();
  const bool exited = evidence_.wait_status && WIFEXITED(*evidence_.wait_status);
  streams_.finish(outcome_, exited && !was_ended() && !too_much);
  if (sandbox_ && sandbox_->copied().any) {
    outcome_.copied = true;
    outcome_.warnings.emplace_back(
        "overlayfs refuses the workspace, so that the command had a copy of it (degrade: overlay)");
  }
  // Only the rest of the output has shown it, or the command was faster than we.
  if (!evidence_.setup_error && evidence_.killed_for == KilledFor::nothing) {
    if (too_much)
      evidence_.killed_for = KilledFor::output;
    else if (leaked())
      evidence_.killed_for = KilledFor::leak;
  }
  decide(evidence_, plan_, outcome_);
  if (plan_.keep) {
    enter(sinks_.clock, Stage::keep);
    keep_changes();
    enter(sinks_.clock, Stage::report);
  }
  if (plan_.artifacts) collect_artifacts();
  redact_words(outcome_);
  const Nanos now = now_ns();
  if (!evidence_.setup_error) events_.exit(now, outcome_);
  if (sinks_.clock != nullptr) outcome_.timing = sinks_.clock->timing(plan_);
}

/// A signal is no reason to lose them, but the payload decides how long it takes to read them. One
/// that has asked for the end of the run before is not sent again.
void Run::keep_changes() {
  std::optional<Nanos> until;
  if (asks_for_end_of_run(forwarder_.asked()) || evidence_.killed_for == KilledFor::interrupt)
    until = now_ns() + kReaderPatience;
  const auto ended = [this, &until] {
    if (asked_to_end() && !until) until = now_ns() + kReaderPatience;
    return until && now_ns() >= *until;
  };
  changes_.finish(plan_, ended, outcome_);
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
  if (sinks_.events < 0 && sinks_.results.empty()) return;
  std::string line;
  if (!sinks_.own_results || events_.enabled()) line = to_json(outcome_, plan_);
  told_ = true;
  events_.result(now_ns(), line);
  line += '\n';
  for (const int fd : sinks_.results) {
    if (!(sinks_.own_results ? write_in_pieces(fd) : write_result(fd, line)))
      lose_result(why_undelivered(errno));
  }
  if (const std::string why = write_events(); !why.empty())
    outcome_.undelivered.push_back("the events could not be written: " + why);
}

void Run::lose_result(const char* why) {
  outcome_.result_lost = true;
  outcome_.undelivered.push_back(std::string("the result could not be written: ") + why);
}

Outcome Run::give_up(const char* why) {
  sandbox_.reset();  // which kills it
  control_.tell_end();
  streams_.give_up();
  outcome_.out = outcome_.err = {};
  outcome_.metered = false;
  // What cannot be masked is told to nobody, also not to a file.
  if (!outcome_.redactor && !look_for_secrets()) throw std::runtime_error(why);
  if (sinks_.secrets != nullptr) sinks_.secrets->clear();
  clean_places();
  evidence_ = {.setup_error = Error{.kind = ErrorKind::internal, .what = why}};
  decide(evidence_, plan_, outcome_);
  if (outcome_.launched) {
    outcome_.phase = "run";
    if (outcome_.wall_ms == 0) outcome_.wall_ms = in_ms(now_ns() - exec_);
  } else {
    outcome_.setup_ms = in_ms(now_ns() - started_);
  }
  redact_words(outcome_);
  if (told_)
    lose_result(why);
  else
    publish();
  return std::move(outcome_);
}

/// What still waits of them. Returns why not all of them came out, at any time; empty: they did.
std::string Run::write_events() {
  events_.end(now_ns());
  events_.step(now_ns());
  while (!events_.idle()) {
    if (events_.stalled()) return "their reader took nothing for 5 seconds";
    set_.clear();
    wait(next_wake());
    if (asked_to_end()) return "sbx was asked to end";
    events_.step(now_ns());
  }
  if (events_.lost() == EPIPE) return "their reader has gone";
  return events_.lost() == 0 ? "" : ::strerrordesc_np(events_.lost());
}

bool Run::write_in_pieces(int fd) {
  const auto write = [this, fd](std::string_view piece) { return write_result(fd, piece); };
  return write_json(outcome_, plan_, write) && write("\n");
}

bool Run::write_result(int fd, std::string_view line) {
  constexpr timespec kPatience{kReaderPatience / kSecond, 0};
  // Not discarded: /dev/null in place of a closed stream takes nothing (os::fill_standard_fds()).
  const FileKind kind = kind_of(fd);
  Sink sink(fd, kind == FileKind::null_device ? FileKind::device : kind);
  while (!line.empty()) {
    const auto taken = sink.write(line);
    if (!taken) {
      errno = taken.error().value;
      return false;
    }
    line.remove_prefix(*taken);
    if (*taken != 0) continue;
    pollfd ready[] = {{sink.poll_fd(), POLLOUT, 0}, {gate_.fd(), POLLIN, 0}};
    const int heard = ::ppoll(ready, 2, outcome_.ended ? &kPatience : nullptr, nullptr);
    if (heard == 0 || asked_to_end()) {
      errno = heard == 0 ? ETIMEDOUT : EINTR;
      return false;
    }
  }
  return true;
}

bool Run::asked_to_end() {
  bool asked = false;
  while (const int signal = gate_.take()) {
    asked = asked || asks_to_end(signal);
    if (signal == SIGTSTP) stop_and_resume();
    if (signal == SIGCONT) streams_.after_resume();
  }
  return asked;
}

}  // namespace sbx::supervise
