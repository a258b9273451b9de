// The table of evidence, status, exit code and reason, in the order in which one outweighs another.
#include "supervise/outcome.hpp"

#include <linux/seccomp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "seccomp/notify.hpp"
#include "supervise/limit_warnings.hpp"
#include "supervise/outcome_end.hpp"
#include "supervise/outcome_killed.hpp"
#include "supervise/outcome_memory.hpp"

namespace sbx::supervise {
namespace {

std::optional<std::uint64_t> rlimit_of(const plan::Plan& plan, const char* name) {
  const auto found = plan.limits.rlimits.find(name);
  return found != plan.limits.rlimits.end() ? found->second : std::nullopt;
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

/// It gives up its own rights while the command starts.
void decide_init_error(Error error, Outcome& outcome) {
  error.what += " (init, when the command was executed already; all was killed)";
  set(outcome, Status::internal_error, kNotRun, {"init_died", error.to_line()});
  outcome.error = std::move(error);
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
  if (evidence.killed_for != KilledFor::nothing && decide_killed(evidence, plan, outcome)) return;
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
