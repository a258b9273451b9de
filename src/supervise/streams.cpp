// Runs in the supervisor.
#include "supervise/streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace sbx::supervise {
namespace {

MeterRules rules_for(int stream, const plan::Plan& plan, const Streams::Observer& observer,
                     const Redactor& redactor) {
  const profile::OutputLimits& caps = plan.supervision.output;
  MeterRules rules =
      meter_rules(plan.supervision, stream == 1 ? caps.stdout_bytes : caps.stderr_bytes);
  rules.redactor = redactor;
  if (observer)
    rules.observer = [observer, stream](std::string_view bytes) { observer(stream, bytes); };
  return rules;
}

}  // namespace

Result<void> Streams::start(const plan::Plan& plan, Stdio stdio, LiveSandbox& sandbox,
                            const Observer& observer, const Redactor& redactor) {
  stdio_ = std::move(stdio);
  stdio_.close_payload_side();
  if (plan.supervision.tty) return start_pty(rules_for(1, plan, observer, redactor), sandbox);

  const auto sink = [this](Route route, int fd) {
    return route == Route::keep ? Sink()
                                : Sink(fd, stdio_.caller[static_cast<std::size_t>(fd)].kind);
  };
  if (stdio_.out.read.valid())
    out_[0].emplace(std::move(stdio_.out.read), sink(stdio_.routes.out, STDOUT_FILENO),
                    StreamMeter(rules_for(1, plan, observer, redactor)));
  if (stdio_.err.read.valid())
    out_[1].emplace(std::move(stdio_.err.read), sink(stdio_.routes.err, STDERR_FILENO),
                    StreamMeter(rules_for(2, plan, observer, redactor)));
  if (stdio_.in.write.valid()) start_input(std::move(stdio_.in.write), false);
  return {};
}

Result<void> Streams::start_pty(const MeterRules& rules, LiveSandbox& sandbox) {
  os::UniqueFd master = sandbox.take_pty_master();
  os::UniqueFd input(master.valid() ? ::fcntl(master.get(), F_DUPFD_CLOEXEC, 3) : -1);
  if (!input.valid())
    return std::unexpected(Error{.kind = ErrorKind::internal,
                                 .what = "the sandbox has no terminal although its plan has one",
                                 .sys_errno = errno});
  master_ = master.get();
  if (auto peer = os::open_pty_peer(master_)) peer_ = std::move(*peer);
  for (int fd = STDERR_FILENO; fd >= STDIN_FILENO; --fd)
    if (stdio_.caller[static_cast<std::size_t>(fd)].kind == FileKind::terminal) window_ = fd;
  resize();
  if (window_ == STDIN_FILENO) terminal_.emplace(STDIN_FILENO);
  // With --json the terminal's output is kept like any other.
  Sink sink = rules.keep ? Sink() : Sink(STDOUT_FILENO, stdio_.caller[1].kind);
  OutputRelay& relay =
      out_[0].emplace(std::move(master), std::move(sink), StreamMeter(rules), true);
  if (!rules.keep && stdio_.caller[1].kind == FileKind::terminal) relay.watch_screen();
  start_input(std::move(input), true);
  return {};
}

void Streams::start_input(os::UniqueFd sink, bool to_pty) {
  if (stdio_.routes.in == Route::file) {
    in_.emplace(stdio_.input_file.get(), FileKind::regular, std::move(sink), to_pty);
  } else if (stdio_.routes.in == Route::null) {
    in_.emplace(stdio_.null.get(), FileKind::null_device, std::move(sink), to_pty);
  } else {
    in_.emplace(STDIN_FILENO, stdio_.caller[0].kind, std::move(sink), to_pty);
  }
  take_terminal();
}

void Streams::take_terminal() {
  if (terminal_) terminal_->enter();
  if (!in_) return;
  const bool from_terminal =
      stdio_.routes.in == Route::relay && stdio_.caller[0].kind == FileKind::terminal;
  if (from_terminal && !os::in_foreground(STDIN_FILENO)) {
    in_->pause();
  } else {
    in_->resume();
  }
}

void Streams::watch(PollSet& set) {
  for (const Relay& relay : out_)
    if (relay) relay->watch(set);
  if (in_) in_->watch(set);
}

bool Streams::step(const PollSet& set) {
  bool wrote = false;
  for (Relay& relay : out_)
    if (relay && relay->step()) wrote = true;
  if (in_background() && os::in_foreground(STDIN_FILENO)) after_resume();
  if (in_) in_->step(set);
  // Both of our descriptors of the master have to go for the payload to see its terminal hang up.
  const Relay& terminal = out_[0];
  const int lost = terminal ? terminal->lost() : 0;
  if (in_ && master_ >= 0 && lost != 0) {
    in_->stop();
    peer_.reset();
    master_ = -1;
  }
  return wrote;
}

void Streams::hold(bool on) {
  held_ = on;
  for (Relay& relay : out_)
    if (relay) relay->hold(on);
}

bool Streams::blocked() const {
  return std::ranges::any_of(out_, [](const Relay& relay) { return relay && relay->blocked(); });
}

bool Streams::held_back() const { return held_ || blocked(); }

std::uint64_t Streams::delivered() const {
  std::uint64_t sum = 0;
  for (const Relay& relay : out_)
    if (relay) sum += relay->delivered();
  return sum;
}

bool Streams::must_kill() const {
  for (const Relay& relay : out_)
    if (relay && relay->meter().must_kill()) return true;
  return false;
}

std::uint64_t Streams::redactions() const {
  std::uint64_t sum = 0;
  for (const Relay& relay : out_)
    if (relay) sum += relay->meter().redactions();
  return sum;
}

void Streams::before_stop() {
  if (terminal_) terminal_->leave();
}

void Streams::after_resume() {
  take_terminal();
  resize();
}

void Streams::resize() {
  if (master_ >= 0) os::copy_window_size(window_, master_);
}

void Streams::tree_ended() {
  if (in_) in_->stop();
  peer_.reset();
  hold(false);
  for (Relay& relay : out_)
    if (relay) relay->tree_ended();
}

void Streams::abandon() {
  for (Relay& relay : out_)
    if (relay) relay->abandon();
}

bool Streams::done() const {
  for (const Relay& relay : out_)
    if (relay && !relay->done()) return false;
  return true;
}

void Streams::put_back_screen() {
  for (Relay& relay : out_)
    if (relay) relay->put_back_screen();
}

void Streams::finish(Outcome& outcome, bool by_itself) {
  master_ = -1;
  if (!by_itself) put_back_screen();
  if (terminal_) terminal_->leave();
  for (std::size_t i = 0; i < out_.size(); ++i) {
    Relay& relay = out_[i];
    if (!relay) continue;
    relay->meter().add_redactions(outcome.redactions);
    (i == 0 ? outcome.out : outcome.err) = relay->meter().take_record();
    // A reader that went away (EPIPE) is no news to the one who made the pipeline.
    if (const int lost = relay->lost(); lost != 0 && lost != EPIPE)
      outcome.undelivered.push_back(std::string(i == 0 ? "stdout" : "stderr") +
                                    " could not be written: " + ::strerrordesc_np(lost));
  }
}

void Streams::give_up() {
  master_ = -1;
  put_back_screen();
  if (terminal_) terminal_->leave();
  in_.reset();
  for (Relay& relay : out_) relay.reset();
}

}  // namespace sbx::supervise
