// Ends for memory: what the kernel counted says that somebody was killed, and not always who.
#include "supervise/outcome_memory.hpp"

#include <signal.h>

#include <utility>

#include "base/quantity.hpp"
#include "supervise/limit_warnings.hpp"
#include "supervise/outcome_end.hpp"

namespace sbx::supervise {
namespace {

constexpr int kKilled = kSignalBase + SIGKILL;

void set_oom(Outcome& outcome, Reason reason) {
  set(outcome, Status::oom, kKilled, std::move(reason));
}

}  // namespace

void decide_oom(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome) {
  const bool own = is_own_oom(evidence);
  const std::string limit = own && plan.limits.memory ? format_bytes(*plan.limits.memory) : "";
  const bool tree = plan.limits.oom_kill == profile::OomKill::tree;
  set_oom(outcome,
          {own ? "memory_limit" : "outer_memory",
           (tree ? "the whole tree was killed (limits.oom_kill) because "
                 : "the kernel killed it because ") +
               oom_cause(evidence) + (limit.empty() ? limit : " (limits.memory " + limit + ")"),
           limit, outcome.usage.memory_peak ? format_bytes(*outcome.usage.memory_peak) : ""});
}

/// Without a cgroup nobody refuses a page: we have seen it go over, and ended it.
void decide_sampled_oom(const plan::Plan& plan, Outcome& outcome) {
  const std::string limit = plan.limits.memory ? format_bytes(*plan.limits.memory) : "";
  set_oom(outcome,
          {"memory_limit",
           "it used more memory than limits.memory allows (" + limit +
               "), as seen by looking now and then: no cgroup holds it here",
           limit, outcome.usage.memory_peak ? format_bytes(*outcome.usage.memory_peak) : ""});
}

/// Looked at now and then: the kernel takes it for nobody's memory.
void decide_socket_oom(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome) {
  const std::string limit = plan.limits.memory ? format_bytes(*plan.limits.memory) : "";
  set_oom(outcome,
          {"memory_limit",
           "its sockets kept more unread than limits.memory allows (" + limit +
               "): answers of netlink, errors, unfinished datagrams or connections that nobody "
               "accepted, which no cgroup counts",
           limit, format_bytes(evidence.unread_bytes.value_or(0))});
}

/// A child was killed, and the command went on without it: its own end stands, but what it did is
/// not what it would have done.
void decide_partial_oom(int process_exit, const std::string& own_end, const Evidence& evidence,
                        const plan::Plan& plan, Outcome& outcome) {
  decide_oom(evidence, plan, outcome);
  outcome.process_exit = process_exit;
  outcome.reason.text = oom_cause(evidence) + ", and the kernel killed " +
                        std::to_string(evidence.oom_kills.value_or(0)) +
                        " of its processes; the command itself ended " + own_end;
}

/// memory.events counts who was killed, and does not name them: only where there never was another
/// process, nor a thread (both count as pids), it was the command.
void decide_killed_with_oom(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome) {
  if (plan.limits.oom_kill == profile::OomKill::tree || outcome.usage.pids_peak == 1U)
    return decide_oom(evidence, plan, outcome);
  decide_partial_oom(kKilled, "by SIGKILL, the kernel's or somebody else's", evidence, plan,
                     outcome);
}

}  // namespace sbx::supervise
