// The loop of a run: poll, signals, streams, limits, until the tree has ended and its output is
// out.
#include "supervise/supervisor.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "os/cgroup_remains.hpp"
#include "os/own_memory.hpp"
#include "os/pipe.hpp"
#include "supervise/add_cause.hpp"
#include "supervise/redaction.hpp"
#include "supervise/run.hpp"

namespace sbx::supervise {
namespace {

constexpr Nanos kLongest = 10 * kSecond;  // of a pause after which code is let go

/// For a limit of CPU time alone: glibc reads a file of /sys for it.
double usable_cpus(const plan::Plan& plan) {
  if (!plan.supervision.cpu) return 1;
  const double online = static_cast<double>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  return plan.limits.cpus ? std::min(online, *plan.limits.cpus) : online;
}

// Each processor of the command's may fill 150 MiB of its sockets between two looks, which cost
// 0.03 to 0.15 ms as long as it has few.
constexpr Nanos kLookForSockets = 250 * kMillisecond;
constexpr Nanos kLongestWithoutSockets = kSecond;
// A peak within this, of a command that has slept, is not told.
constexpr Nanos kLongestAsleep = 100 * kMillisecond;

std::optional<Nanos> sooner(const std::optional<Nanos>& one, const std::optional<Nanos>& other) {
  return one && other ? std::min(*one, *other) : one ? one : other;
}

/// More than the memory limit is what no group counts, or not all of it: of what one does count
/// there is less. In a network that is the host's are the sockets of others.
std::optional<std::uint64_t> socket_memory(const plan::Plan& plan) {
  const std::vector<std::string>& own = plan.isolation.namespaces;
  return std::ranges::find(own, "net") == own.end() ? std::nullopt : plan.limits.memory;
}

}  // namespace

Run::Run(const plan::Plan& plan, const Sinks& sinks)
    : plan_(plan),
      sinks_(sinks),
      started_(sinks.started != 0 ? sinks.started : now_ns()),
      deadlines_(plan.supervision, usable_cpus(plan)),
      tree_watch_(plan.supervision.sampled_memory, TreeWatch::kOften, kLongestAsleep),
      oom_watch_(plan.supervision.end_tree_on_oom ? std::optional<std::uint64_t>(0) : std::nullopt),
      socket_watch_(socket_memory(plan), kLookForSockets, kLongestWithoutSockets),
      forwarder_(to_nanos(plan.supervision.grace)) {
  outcome_.started_at = std::chrono::system_clock::now() -
                        std::chrono::duration_cast<std::chrono::system_clock::duration>(
                            std::chrono::nanoseconds{now_ns() - started_});
  outcome_.warnings = plan.warnings;
  outcome_.metered = plan.supervision.meter || plan.supervision.capture;
}

Outcome Run::execute(const Launcher& launcher) {
  if (auto ready = set_up(launcher); !ready) {
    static_cast<void>(look_for_secrets());  // the result has words of the caller's all the same
    if (sinks_.secrets != nullptr) sinks_.secrets->clear();
    sandbox_.reset();
    control_.tell_end();
    clean_places();  // the payload may have run already
    add_cause(ready.error(), plan_.supervision.learning == plan::Learning::off);
    evidence_.setup_error = std::move(ready.error());
    outcome_.setup_ms = in_ms(now_ns() - started_);
  } else {
    enter(sinks_.clock, Stage::watch);
    supervise_tree();
    if (sinks_.tree_ended) sinks_.tree_ended();
    enter(sinks_.clock, Stage::account);
    control_.close();
    reap_tree();
    control_.tell_end();
    enter(sinks_.clock, Stage::deliver);
    deliver_rest();
  }
  enter(sinks_.clock, Stage::report);
  conclude();
  publish();
  enter(sinks_.clock, Stage::clean_up);
  return std::move(outcome_);
}

Result<void> Run::set_up(const Launcher& launcher) {
  // Before anything of ours is opened, which might get one of their numbers.
  const auto read_only = os::fill_standard_fds();
  if (!read_only)
    return std::unexpected(Error{.kind = ErrorKind::setup,
                                 .what = "cannot open /dev/null for a closed standard stream",
                                 .sys_errno = read_only.error().value,
                                 .feature = Feature::system_calls});
  if (auto opened = gate_.open(); !opened)
    return std::unexpected(Error{.kind = ErrorKind::setup,
                                 .what = "cannot watch for signals",
                                 .sys_errno = opened.error().value,
                                 .feature = Feature::system_calls});
  if (sinks_.events >= 0) events_ = EventLog(Sink(sinks_.events, kind_of(sinks_.events)), started_);
  SBX_CHECK(place_watch_.start(plan_.supervision.watched));
  SBX_CHECK(network_.prepare(plan_));
  SBX_CHECK(changes_.prepare(plan_));
  SBX_CHECK(artifacts_.prepare(plan_));
  Stdio stdio = SBX_TRY(set_up_stdio(plan_.supervision, *read_only));
  // By now init is another process, which has nothing of what this is made of. Who waits for a turn
  // could not answer for as long.
  const auto before_groups = [this] {
    if (!sinks_.await_turn) open_door();
  };
  const auto rest = [this]() -> Result<void> {
    enter(sinks_.clock, Stage::register_run);
    SBX_CHECK(look_for_secrets());
    SBX_CHECK(await_turn());
    changes_.await_tick();
    if (sinks_.begins) SBX_CHECK(sinks_.begins(outcome_.redactor));
    open_door();
    enter(sinks_.clock, Stage::await_exec);
    return {};
  };
  auto launched = launcher(plan_, stdio.payload, gate_.fd(), {before_groups, rest});
  if (!launched) {
    if (launched.error().sys_errno == EINTR) evidence_.interrupt_signal = gate_.take();
    return std::unexpected(std::move(launched.error()));
  }
  if (sinks_.secrets != nullptr) sinks_.secrets->clear();  // which wipes them
  return begin_watching(std::move(*launched), std::move(stdio));
}

Result<void> Run::begin_watching(std::unique_ptr<LiveSandbox> sandbox, Stdio stdio) {
  sandbox_ = std::move(sandbox);
  outcome_.launched = true;
  changes_.take(sandbox_->take_changes(), sandbox_->copied().kept);
  artifacts_.take(sandbox_->take_root(), sandbox_->reserved_id());
  exec_ = static_cast<Nanos>(sandbox_->command_time_ns());
  if (exec_ == 0) exec_ = now_ns();
  outcome_.setup_ms = in_ms(exec_ - started_);
  if (sinks_.clock != nullptr) {
    const Nanos seen = std::max(exec_, static_cast<Nanos>(sandbox_->exec_time_ns()));
    if (sandbox_->exec_errno() == 0) sinks_.clock->exec_seen(seen);
    sinks_.clock->enter(Stage::settle, seen);
  }
  (void)gate_.watch_all();  // without it, only job control is lost
  Streams::Observer observer;
  if (events_.enabled())
    observer = [this](int stream, std::string_view bytes) {
      events_.output(now_ns(), stream, bytes);
    };
  SBX_CHECK(streams_.start(plan_, std::move(stdio), *sandbox_, observer, outcome_.redactor));
  events_.start(now_ns(), sandbox_->init_pid(), plan_.run_id);
  if (events_.enabled() && plan_.supervision.usage_interval) usage_due_ = exec_;
  if (events_.enabled() && plan_.supervision.tell_memory_high)
    high_watch_.start(sandbox_->cgroup_fd("memory"));
  SBX_CHECK(start_network());
  SBX_CHECK(denials_.start(sandbox_->take_listener(), plan_, now_ns()));
  deadlines_.start(exec_);
  socket_watch_.begin(exec_);
  if (plan_.supervision.cpu) check_cpu(exec_);  // which decides how soon to look again
  artifacts_.begin_samples(exec_);
  settle_due_ = exec_ + settle_pause_;
  // What killed supervisors left. Late: the payload runs by now, and nobody waits for this.
  if (const auto swept = control_.sweep()) {
    sandbox_->sweep_leftovers(plan_, swept->left);
    os::sweep_cgroups_of(swept->ended);
  }
  return {};
}

void Run::supervise_tree() {
  while (!tree_ended_) {
    settle(now_ns());
    enforce(now_ns());
    set_.clear();
    pidfd_index_ = set_.add(sandbox_->pidfd(), POLLIN);
    end_index_ = end_told_ ? kNotPolled : set_.add(sandbox_->end_fd(), 0);
    control_.watch(set_);
    high_watch_.watch(set_);
    place_watch_.watch(set_);
    denials_.watch(set_, now_ns());
    network_.watch(set_);
    wait(next_wake());
    look_for_end();
    hear_denials(now_ns());
    network_.step(set_);
    look_at_places(now_ns());
    take_signals();  // which may stop us for hours
    const Nanos now = now_ns();
    control_.step(set_, now, [this](const Request& request) { return serve(request); });
    tell_usage(now);
    if (high_watch_.crossed(set_)) tell_memory_high(now);
    move(now);
  }
}

void Run::settle(Nanos now) {
  if (!settle_due_ || now < *settle_due_) return;
  settle_due_.reset();
  settle_pause_ = std::min(2 * settle_pause_, kLongest);
  os::release_code();
}

void Run::send(int signal, std::string_view reason) {
  sandbox_->signal_payload(signal);
  events_.signal_sent(now_ns(), signal, reason);
}

void Run::move(Nanos now) {
  if (streams_.step(set_)) {
    deadlines_.note_output(now);
    settle_due_ = now + settle_pause_;  // what that needed is in memory again
  } else {
    deadlines_.note_silence(polled_);
  }
  events_.step(now);
  streams_.hold(events_.congested());
}

void Run::wait(std::optional<Nanos> until) {
  set_.add(gate_.fd(), POLLIN);
  streams_.watch(set_);
  events_.watch(set_);
  for (;;) {
    const std::optional<Nanos> look =
        looks_on() ? sooner(socket_watch_.next(), tree_watch_.next()) : std::nullopt;
    const std::optional<Nanos> next = sooner(until, look);
    timespec timeout{};
    polled_ = now_ns();
    if (next) {
      const Nanos left = std::max<Nanos>(0, *next - polled_);
      timeout = {left / kSecond, left % kSecond};
    }
    const int ready = ::ppoll(set_.data(), set_.size(), next ? &timeout : nullptr, nullptr);
    // Anything but EINTR (a descriptor limit below what we watch) would make this spin for ever.
    if (ready < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "cannot wait for the sandbox");
    if (ready != 0 || next != look || !look || !nothing_has_grown(now_ns())) return;
  }
}

void Run::reap_tree() {
  outcome_.wall_ms = in_ms(now_ns() - exec_);
  Usage usage;
  // Before init has ended: it is not in these.
  add_final_counters(*sandbox_, 1, usage);
  sandbox_->remove_groups(1);
  evidence_.wait_status = sandbox_->reap(evidence_.init_wait_status);
  evidence_.init_died = !evidence_.wait_status;
  evidence_.payload_cpu_us = sandbox_->payload_cpu_us();
  evidence_.stopped_ms = in_ms(deadlines_.stopped());
  if (evidence_.init_died) {
    evidence_.init_error = sandbox_->failure(plan_);
    sandbox_->sweep_leftovers(plan_, {});  // it has cleared away nothing
  }
  if (evidence_.init_error) add_cause(*evidence_.init_error);
  evidence_.exec_errno = sandbox_->exec_errno();
  add_final_counters(*sandbox_, 2, usage);
  outcome_.usage = complete(usage, *sandbox_, outcome_.metered);
  if (const auto seen = tree_times_.used())
    add_sampled(outcome_.usage, without_setup(*sandbox_, *seen));
  if (!outcome_.usage.memory_peak) outcome_.usage.memory_peak = tree_watch_.peak();
  evidence_.oom_kills = outcome_.usage.oom_kills;
  evidence_.memory_limit_reached = outcome_.usage.memory_limit_reached;
  evidence_.memory_high_events = outcome_.usage.memory_high_events;
  // It ended before we had word of it.
  if (high_watch_.waiting() && evidence_.memory_high_events.value_or(0) > 0)
    tell_memory_high(now_ns());
  evidence_.pids_limit_hits = outcome_.usage.pids_limit_hits;
  account_for_denials();
  finish_network();
  clean_places();
  sandbox_->remove_groups(2);  // now: who reads our output may take any time
}

Outcome supervise(const plan::Plan& plan, const Sinks& sinks, const Launcher& launcher) {
  Run run(plan, sinks);
  try {
    return run.execute(launcher);
  } catch (const std::bad_alloc&) {
    return run.give_up("memory ran out");
  } catch (const std::exception& failure) {
    return run.give_up(failure.what());
  }
}

}  // namespace sbx::supervise
