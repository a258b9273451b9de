// The table of evidence, status, exit code and reason, in the order in which one outweighs another.
#include "supervise/outcome.hpp"

#include <linux/seccomp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "seccomp/notify.hpp"
#include "supervise/limit_warnings.hpp"
#include "supervise/outcome_memory.hpp"
#include "supervise/redaction.hpp"

namespace sbx::supervise {
namespace {

constexpr int kTimeLimit = 124;
constexpr int kNotRun = 125;
constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;
constexpr int kSignalBase = 128;

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

std::string seconds(double ms) {
  char text[32];
  (void)std::snprintf(text, sizeof text, "%.3fs", ms / 1000);
  return text;
}

std::optional<std::uint64_t> rlimit_of(const plan::Plan& plan, const char* name) {
  const auto found = plan.limits.rlimits.find(name);
  return found != plan.limits.rlimits.end() ? found->second : std::nullopt;
}

void set(Outcome& outcome, Status status, int process_exit, Reason reason) {
  outcome.status = status;
  outcome.process_exit = process_exit;
  outcome.reason = std::move(reason);
}

void decide_setup_error(const Error& error, int interrupt, Outcome& outcome) {
  outcome.phase = "setup";
  outcome.error = error;
  if (interrupt != 0)
    return set(outcome, Status::interrupted, kSignalBase + interrupt,
               {"interrupted", signal_name(interrupt) + " came before the command was started"});
  std::string text = error.to_line();
  if (error.kind == ErrorKind::internal)
    return set(outcome, Status::internal_error, kNotRun, {"internal", std::move(text)});
  set(outcome, Status::setup_error, kNotRun, {"setup_failed", std::move(text)});
}

void decide_exec_error(int error, const plan::Plan& plan, Outcome& outcome) {
  outcome.phase = "setup";
  const std::string name = plan.argv.empty() ? "the command" : quote(plan.argv.front());
  if (error == ENOENT)
    return set(outcome, Status::not_found, kNotFound,
               {"not_found",
                name + " (or the interpreter that it names) was not found inside the sandbox"});
  set(outcome, Status::not_executable, kNotExecutable,
      {"not_executable", name + " cannot be executed: " + ::strerrordesc_np(error)});
}

std::string cpu_observed(const Usage& usage) {
  if (!usage.cpu_user_us || !usage.cpu_system_us) return {};
  return seconds(static_cast<double>(*usage.cpu_user_us + *usage.cpu_system_us) / 1000);
}

Reason output_reason(const plan::Plan& plan, const Outcome& outcome) {
  const profile::OutputLimits& caps = plan.supervision.output;
  const bool out = caps.stdout_bytes && outcome.out.left > *caps.stdout_bytes;
  const auto& cap = out ? caps.stdout_bytes : caps.stderr_bytes;
  const std::string limit = cap ? format_bytes(*cap) : "";
  return {"output_limit",
          std::string("it wrote more than limits.output allows to ") + (out ? "stdout" : "stderr") +
              " (" + limit + ")",
          limit, std::to_string(out ? outcome.out.left : outcome.err.left) + "B"};
}

/// It gives up its own rights while the command starts.
void decide_init_error(Error error, Outcome& outcome) {
  error.what += " (init, when the command was executed already; all was killed)";
  set(outcome, Status::internal_error, kNotRun, {"init_died", error.to_line()});
  outcome.error = std::move(error);
}

/// The run was ended by us. False: it was not, after all.
bool decide_killed(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome) {
  const plan::Supervision& limits = plan.supervision;
  const auto text = [](const auto& duration) { return duration ? format_duration(*duration) : ""; };
  switch (evidence.killed_for) {
    case KilledFor::nothing:
      return false;
    case KilledFor::wall:
      set(outcome, Status::timeout, kTimeLimit,
          {"wall_limit", "it ran longer than limits.wall allows (" + text(limits.wall) + ")",
           text(limits.wall), seconds(outcome.wall_ms - evidence.stopped_ms)});
      return true;
    case KilledFor::cpu:
      set(outcome, Status::cpu_limit, kTimeLimit,
          {"cpu_limit", "it used more CPU time than limits.cpu allows (" + text(limits.cpu) + ")",
           text(limits.cpu), cpu_observed(outcome.usage)});
      return true;
    case KilledFor::idle:
      set(outcome, Status::idle_timeout, kTimeLimit,
          {"idle_limit",
           "it wrote nothing for as long as limits.idle allows (" + text(limits.idle) + ")",
           text(limits.idle), seconds(evidence.silent_ms)});
      return true;
    case KilledFor::memory:
      if (evidence.oom_kills.value_or(0) > 0)
        decide_oom(evidence, plan, outcome);
      else
        decide_sampled_oom(plan, outcome);
      return true;
    case KilledFor::sockets:
      decide_socket_oom(evidence, plan, outcome);
      return true;
    case KilledFor::output:
      set(outcome, Status::output_limit, kSignalBase + SIGXFSZ, output_reason(plan, outcome));
      return true;
    case KilledFor::command:
      if (evidence.wait_status && WIFEXITED(*evidence.wait_status)) return false;
      set(outcome, Status::interrupted, kSignalBase + SIGKILL,
          {"killed", "it was killed by sbx kill"});
      return true;
    case KilledFor::filter:
      set(outcome, Status::internal_error, kNotRun,
          {"filter", "a denied system call could not be answered, and everything was killed"});
      return true;
    case KilledFor::place:
      set(outcome, Status::signal, kSignalBase + SIGKILL, {"git_protect", evidence.broken_place});
      return true;
    case KilledFor::leak:
      set(outcome, Status::signal, kSignalBase + SIGKILL,
          {"secret_leaked", "its output had a secret in it, which was masked (on_leak: fail): " +
                                leaked_names(outcome.redactions)});
      return true;
    case KilledFor::interrupt:
      // It ended by itself before the kill reached it.
      if (evidence.wait_status && WIFEXITED(*evidence.wait_status)) return false;
      set(outcome, Status::interrupted, kSignalBase + evidence.interrupt_signal,
          {"interrupted", "sbx was asked to end by " + signal_name(evidence.interrupt_signal) +
                              ", which the command did not heed, and killed it"});
      return true;
  }
  return false;
}

/// For RLIMIT_CPU the kernel sends SIGXCPU, and SIGKILL a second later (os::set_rlimit), but so can
/// anybody: did it use that much? The kernel counts ticks for that limit, and not for wait4(2). On
/// a busy host, where others run between the ticks, it has counted a second after 0.8 of one.
bool used_up_cpu(int signal, std::uint64_t limit_s, const Evidence& evidence) {
  if (signal != SIGXCPU && signal != SIGKILL) return false;
  const std::uint64_t end_s = limit_s + (signal == SIGKILL ? 1 : 0);
  return evidence.payload_cpu_us / 500'000 >= end_s;
}

/// ": socket(AF_PACKET)", what the command was killed for: nothing comes after that.
std::string last_denial(const Outcome& outcome) {
  if (!outcome.denials || outcome.denials->empty()) return {};
  const auto own = std::ranges::find_if(outcome.denials->rbegin(), outcome.denials->rend(),
                                        [](const Denial& denial) { return denial.pid == 2; });
  if (own == outcome.denials->rend()) return {};
  return ": " + own->operation + (own->target.empty() ? "" : "(" + own->target + ")");
}

/// Whatever the filter would kill for is asked of us, the 32-bit table's calls as well; but with
/// sendmsg(2) denied a second filter stands behind it, which kills for itself.
bool asks_instead_of_killing(const plan::Plan& plan, const Outcome& outcome) {
  return plan.supervision.denials && outcome.denials &&
         seccomp::is_told(SECCOMP_RET_KILL_PROCESS, plan.seccomp.on_deny) &&
         seccomp::lets_through(plan.filter.program(), plan.seccomp, {SYS_sendmsg, 0});
}

/// Anybody may send it, to himself as well, and wait4(2) does not tell who has.
void decide_sigsys(const plan::Plan& plan, Outcome& outcome) {
  constexpr int kCode = kSignalBase + SIGSYS;
  if (asks_instead_of_killing(plan, outcome))
    return set(outcome, Status::signal, kCode,
               {"signal",
                "it was killed by SIGSYS, which the filter of sbx does not send in this run: it "
                "raised SIGSYS itself, or has a filter of its own"});
  const bool denied = plan.seccomp.on_deny == seccomp::OnDeny::kill;
  set(outcome, Status::seccomp, kCode,
      {"seccomp", std::string("it was killed by SIGSYS: seccomp, for a system call ") +
                      (denied ? "that the profile denies" : "of another table (32-bit or x32)") +
                      ", or the command raised SIGSYS itself; nothing tells which"});
}

void decide_signal(int signal, const Evidence& evidence, const plan::Plan& plan, Outcome& outcome) {
  const int code = kSignalBase + signal;
  if (signal == SIGKILL && evidence.oom_kills.value_or(0) > 0)
    return decide_killed_with_oom(evidence, plan, outcome);
  // Ours, where we hear of denied calls; else the kernel's own.
  if (signal == SIGKILL && evidence.filter_kill)
    return set(outcome, Status::seccomp, kSignalBase + SIGSYS,
               {"seccomp",
                "it was killed for a system call that the profile denies" + last_denial(outcome)});
  if (signal == SIGSYS) return decide_sigsys(plan, outcome);
  const auto cpu = rlimit_of(plan, "cpu");
  if (cpu && used_up_cpu(signal, *cpu, evidence))
    return set(outcome, Status::cpu_limit, kTimeLimit,
               {"cpu_rlimit", "a process used more CPU time than limits.rlimits.cpu allows",
                std::to_string(*cpu) + "s", cpu_observed(outcome.usage)});
  // The kernel sends it for the limit that the plan set; without one somebody else did. As with
  // SIGSYS, nothing tells whether it was the kernel.
  const auto file_size = rlimit_of(plan, "fsize");
  if (signal == SIGXFSZ && file_size)
    return set(outcome, Status::disk_limit, code,
               {"file_size_limit",
                "it was killed by SIGXFSZ, which the kernel sends to whoever writes a file larger "
                "than limits.rlimits.fsize allows",
                format_bytes(*file_size)});
  if (signal == evidence.interrupt_signal)
    return set(outcome, Status::interrupted, code,
               {"interrupted", "it was ended by " + signal_name(signal) + ", forwarded to it"});
  if (signal == evidence.command_signal)
    return set(outcome, Status::interrupted, code,
               {"killed", "it was killed by sbx kill, with " + signal_name(signal)});
  set(outcome, Status::signal, code, {"signal", "it was killed by " + signal_name(signal)});
}

void decide_ended(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome) {
  if (decide_killed(evidence, plan, outcome)) return;
  // However the command itself ended: it may have seen a child's end before its own came.
  if (plan.limits.oom_kill == profile::OomKill::tree && evidence.oom_kills.value_or(0) > 0)
    return decide_oom(evidence, plan, outcome);
  if (!evidence.wait_status) {
    // The kernel may choose init for an out-of-memory kill; then nobody reports the payload's end.
    if (evidence.oom_kills.value_or(0) > 0) return decide_oom(evidence, plan, outcome);
    if (evidence.init_error) return decide_init_error(*evidence.init_error, outcome);
    const int status = evidence.init_wait_status;
    return set(outcome, Status::internal_error, kNotRun,
               {"init_died",
                "init ended (" +
                    (WIFSIGNALED(status) ? signal_name(WTERMSIG(status))
                                         : "exit code " + std::to_string(WEXITSTATUS(status))) +
                    ") without telling how the command ended"});
  }
  if (WIFSIGNALED(*evidence.wait_status))
    return decide_signal(WTERMSIG(*evidence.wait_status), evidence, plan, outcome);
  const int code = WEXITSTATUS(*evidence.wait_status);
  if (evidence.oom_kills.value_or(0) > 0)
    return decide_partial_oom(code, "with exit code " + std::to_string(code), evidence, plan,
                              outcome);
  if (code == 0) return set(outcome, Status::ok, 0, {"exited", "it ended with exit code 0"});
  set(outcome, Status::nonzero, code,
      {"exited", "it ended with exit code " + std::to_string(code)});
}

}  // namespace

std::string_view to_string(Status status) {
  static constexpr std::array<std::string_view, 15> kNames{
      "ok",           "nonzero",   "signal",         "timeout",     "cpu_limit",
      "idle_timeout", "oom",       "output_limit",   "disk_limit",  "seccomp",
      "interrupted",  "not_found", "not_executable", "setup_error", "internal_error"};
  return kNames[static_cast<std::size_t>(status)];
}

void decide(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome) {
  outcome.phase = "run";
  outcome.exit_code.reset();
  outcome.signal.reset();
  if (evidence.setup_error)
    return decide_setup_error(*evidence.setup_error, evidence.interrupt_signal, outcome);
  if (evidence.exec_errno != 0) return decide_exec_error(evidence.exec_errno, plan, outcome);
  if (evidence.wait_status) {
    if (WIFEXITED(*evidence.wait_status)) outcome.exit_code = WEXITSTATUS(*evidence.wait_status);
    if (WIFSIGNALED(*evidence.wait_status)) outcome.signal = WTERMSIG(*evidence.wait_status);
  } else if (evidence.killed_for != KilledFor::nothing) {
    outcome.signal = SIGKILL;  // init was killed with the rest before it could tell
  }
  decide_ended(evidence, plan, outcome);
  add_limit_warnings(evidence, plan, outcome);
}

}  // namespace sbx::supervise
