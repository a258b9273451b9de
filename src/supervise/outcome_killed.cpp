// Ends that we brought about: for a limit, because somebody asked, or because the run had got out
// of hand.
#include "supervise/outcome_killed.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "base/quantity.hpp"
#include "supervise/outcome_end.hpp"
#include "supervise/outcome_memory.hpp"
#include "supervise/redaction.hpp"

namespace sbx::supervise {
namespace {

struct TimeLimit {
  KilledFor killed_for;
  Status status;
  const char* code;
  const char* broken;  ///< what the run did
  std::optional<std::chrono::milliseconds> plan::Supervision::* limit;
  std::string (*observed)(const Evidence& evidence, const Outcome& outcome);
};
constexpr std::array<TimeLimit, 3> kTimeLimits{{
    {KilledFor::wall, Status::timeout, "wall_limit", "it ran longer than limits.wall allows",
     &plan::Supervision::wall,
     [](const Evidence& evidence, const Outcome& outcome) {
       return seconds(outcome.wall_ms - evidence.stopped_ms);
     }},
    {KilledFor::cpu, Status::cpu_limit, "cpu_limit", "it used more CPU time than limits.cpu allows",
     &plan::Supervision::cpu,
     [](const Evidence&, const Outcome& outcome) { return cpu_observed(outcome.usage); }},
    {KilledFor::idle, Status::idle_timeout, "idle_limit",
     "it wrote nothing for as long as limits.idle allows", &plan::Supervision::idle,
     [](const Evidence& evidence, const Outcome&) { return seconds(evidence.silent_ms); }},
}};

void decide_time_limit(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome) {
  for (const TimeLimit& row : kTimeLimits) {
    if (row.killed_for != evidence.killed_for) continue;
    const auto limit = plan.supervision.*row.limit;
    const std::string text = limit ? format_duration(*limit) : "";
    set(outcome, row.status, kTimeLimit,
        {row.code, std::string(row.broken) + " (" + text + ")", text,
         row.observed(evidence, outcome)});
  }
}

void decide_memory_limit(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome) {
  if (evidence.oom_kills.value_or(0) > 0)
    decide_oom(evidence, plan, outcome);
  else
    decide_sampled_oom(plan, outcome);
}

void decide_output_limit(const plan::Plan& plan, Outcome& outcome) {
  const profile::OutputLimits& caps = plan.supervision.output;
  const bool out = caps.stdout_bytes && outcome.out.left > *caps.stdout_bytes;
  const auto& cap = out ? caps.stdout_bytes : caps.stderr_bytes;
  const std::string limit = cap ? format_bytes(*cap) : "";
  set(outcome, Status::output_limit, kSignalBase + SIGXFSZ,
      {"output_limit",
       std::string("it wrote more than limits.output allows to ") + (out ? "stdout" : "stderr") +
           " (" + limit + ")",
       limit, std::to_string(out ? outcome.out.left : outcome.err.left) + "B"});
}

/// Somebody wanted it to end. False: it ended by itself before the kill reached it.
bool decide_asked(const Evidence& evidence, Outcome& outcome) {
  if (evidence.wait_status && WIFEXITED(*evidence.wait_status)) return false;
  if (evidence.killed_for == KilledFor::command)
    set(outcome, Status::interrupted, kSignalBase + SIGKILL,
        {"killed", "it was killed by sbx kill"});
  else
    set(outcome, Status::interrupted, kSignalBase + evidence.interrupt_signal,
        {"interrupted", "sbx was asked to end by " + signal_name(evidence.interrupt_signal) +
                            ", which the command did not heed, and killed it"});
  return true;
}

}  // namespace

bool decide_killed(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome) {
  switch (evidence.killed_for) {
    case KilledFor::nothing:
      return false;
    case KilledFor::wall:
    case KilledFor::cpu:
    case KilledFor::idle:
      decide_time_limit(evidence, plan, outcome);
      return true;
    case KilledFor::memory:
      decide_memory_limit(evidence, plan, outcome);
      return true;
    case KilledFor::sockets:
      decide_socket_oom(evidence, plan, outcome);
      return true;
    case KilledFor::output:
      decide_output_limit(plan, outcome);
      return true;
    case KilledFor::command:
    case KilledFor::interrupt:
      return decide_asked(evidence, outcome);
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
  }
  return false;
}

}  // namespace sbx::supervise
