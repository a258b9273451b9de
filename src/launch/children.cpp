// init and payload: loops over their steps of the plan. Nothing here allocates, formats or throws;
// a step that fails leaves its index and errno in the page and the pipe, and ends the process.
#include "launch/children.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "launch/executor.hpp"
#include "os/cpu_time.hpp"
#include "os/own_memory.hpp"
#include "os/process.hpp"
#include "os/process_tree.hpp"

namespace sbx::launch {
namespace {

constexpr int kSetupFailed = 125;

[[noreturn]] void report_and_die(Context& context, int error) noexcept {
  const FailureRecord record{static_cast<std::int32_t>(context.step_index), error};
  FailureRecord none;
  context.page->failed.compare_exchange_strong(none, record);
  // Under the filter a call may be denied, and wait for a listener's answer that nobody gives yet.
  // The page has it all; the pipe tells by its end.
  if (context.filtered) __builtin_trap();
  [[maybe_unused]] const ssize_t ignored = ::write(context.failure_pipe, &record, sizeof record);
  end_shared_tree(context);
  ::_exit(kSetupFailed);
}

/// Does every step of `phase`, in order.
void run_phase(Context& context, plan::Phase phase) noexcept {
  const auto& steps = context.plan->steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].phase != phase) continue;
    context.step_index = i;
    auto& at = phase == plan::Phase::payload ? context.page->payload_step : context.page->init_step;
    at.store(static_cast<std::int32_t>(i), std::memory_order_relaxed);
    context.clock.begin(i);
    const StepResult done = execute(steps[i].action, context);
    context.clock.end(i, done ? 0 : done.error().value);
    if (!done) report_and_die(context, done.error().value);
  }
}

/// The payload has ended. What its orphans have used is known as well when none of them is left.
void tell_times(Context& context) noexcept {
  constexpr int kOrphans = 64;  // more of them may come all the time
  pid_t reaped = 1;
  for (int i = 0; i < kOrphans && reaped > 0; ++i) reaped = ::waitpid(-1, nullptr, WNOHANG);
  const bool alone = reaped < 0 && errno == ECHILD;
  context.page->init_reaped.store(os::reaped_cpu_time());
  context.page->init_own.store(os::own_cpu_time());
  context.page->alone.store(alone ? 1 : 0);
}

/// Collects what has ended; returns when nothing more has, or to look for signals in between: true
/// when there may be more. It never returns once the payload
/// has: our own exit makes the kernel kill the rest of the pid namespace, if it is ours.
bool reap(Context& context) noexcept {
  constexpr int kAtOnce = 64;
  for (int i = 0; i < kAtOnce; ++i) {
    int status = 0;
    struct ::rusage used{};
    const pid_t pid = ::wait4(-1, &status, WNOHANG, &used);
    if (pid <= 0) return false;
    if (pid != context.payload_pid) continue;
    context.clock.end(context.plan->steps.size());
    context.page->payload_cpu_us.store(os::cpu_time(used).sum());
    tell_times(context);
    context.page->payload_status.store(status);
    context.page->payload_ended.store(1, std::memory_order_release);
    end_shared_tree(context);
    ::close(context.channel);  // the supervisor looks into the page while we are dismantled
    ::_exit(0);
  }
  return true;
}

/// Passes on what the supervisor sent.
void forward(const Context& context, int signal) noexcept {
  // A stop signal from a terminal is discarded for an orphaned process group (setpgid(2)), which
  // the payload's is: stop and continue the whole tree instead.
  if (signal == SIGTSTP) {
    ::kill(-1, SIGSTOP);
    // It does our work when we are gone.
    if (context.keeper_pid > 0) ::kill(context.keeper_pid, SIGCONT);
    context.page->stops.fetch_add(1, std::memory_order_release);
  } else if (signal == SIGCONT) {
    ::kill(-1, SIGCONT);
  } else if (::kill(-context.payload_pid, signal) != 0) {
    ::kill(context.payload_pid, signal);  // it has not made its own session yet
  }
}

/// Nobody needs the run any more: the supervisor says so, or has died.
[[noreturn]] void end_shared_run(Context& context) noexcept {
  ::kill(-1, SIGKILL);  // of the tree alone: holds_tree
  int status = 0;
  if (::waitpid(context.payload_pid, &status, 0) == context.payload_pid) {
    context.page->payload_status.store(status);
    context.page->payload_ended.store(1, std::memory_order_release);
  }
  end_shared_tree(context);
  ::_exit(0);
}

[[noreturn]] void supervise_payload(Context& context) noexcept {
  constexpr ::timespec kShort{0, 50'000'000};
  constexpr ::timespec kNow{0, 0};
  // A process that is being forked while SIGSTOP goes to all has it when it is there, also when
  // SIGCONT came meanwhile (copy_process() and __send_signal_locked() of the kernel).
  constexpr int kAgain = 3;
  sigset_t all;
  sigfillset(&all);
  int again = 0;
  for (bool settled = false;;) {
    const bool more = reap(context);
    siginfo_t info{};
    const ::timespec* const patience = more ? &kNow : settled ? nullptr : &kShort;
    const int signal = ::sigtimedwait(&all, &info, patience);
    if (signal < 0 && errno == EAGAIN && !more && again > 0) {
      --again;
      ::kill(-1, SIGCONT);
      continue;
    }
    if (signal < 0 && errno == EAGAIN && !more) {  // a run that lasts: hold no more than needed
      settled = true;
      os::release_code();
    }
    if (signal > 0) settled = false;  // what that needed is in memory again
    if (signal <= 0 || signal == SIGCHLD) continue;
    if (context.holds_tree && signal == os::end_tree_signal()) end_shared_run(context);
    // A signal from inside the sandbox is not for us; who shares the host's pids is kept from
    // sending any.
    if (info.si_pid != 0 && !context.holds_tree) continue;
    forward(context, signal);
    if (signal == SIGCONT || signal == SIGTSTP) again = signal == SIGCONT ? kAgain : 0;
  }
}

}  // namespace

void init_main(Context& context) noexcept {
  if (const auto blocked = os::block_all_signals(); !blocked)
    report_and_die(context, blocked.error().value);
  run_phase(context, plan::Phase::init);
  run_phase(context, plan::Phase::guard);
  supervise_payload(context);
}

void payload_main(Context& context) noexcept {
  context.holds_tree = false;  // init does
  context.scratch.reset();
  context.keeper.reset();
  run_phase(context, plan::Phase::payload);
  report_and_die(context, EPROTO);  // a plan without ExecPayload
}

}  // namespace sbx::launch
