#include "supervise/limit_warnings.hpp"

#include <cstdint>

#include "base/quantity.hpp"

namespace sbx::supervise {

std::string memory_high_text(const plan::Plan& plan) {
  return "it used more memory than limits.memory_high (" +
         format_bytes(plan.limits.memory_high.value_or(0)) + ')';
}

bool is_own_oom(const Evidence& evidence) { return evidence.memory_limit_reached.value_or(true); }

std::string oom_cause(const Evidence& evidence) {
  return is_own_oom(evidence) ? "the memory limit was reached"
                              : "memory ran out outside of the sandbox, in a group above its own "
                                "or on the host";
}

void add_limit_warnings(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome) {
  const std::uint64_t oom_kills = evidence.oom_kills.value_or(0);
  if (oom_kills > 0 && outcome.status != Status::oom)
    outcome.warnings.push_back(oom_cause(evidence) +
                               ": processes killed for it: " + std::to_string(oom_kills));
  const std::uint64_t high = evidence.memory_high_events.value_or(0);
  if (plan.limits.memory_high && high > 0)
    outcome.warnings.push_back(memory_high_text(plan) +
                               ": times that it was slowed down: " + std::to_string(high));
  const std::uint64_t refused = evidence.pids_limit_hits.value_or(0);
  if (refused > 0)
    outcome.warnings.push_back(
        "the limit on processes and threads was reached" +
        (plan.limits.pids ? " (limits.pids " + std::to_string(*plan.limits.pids) + ")" : "") +
        ": refused: " + std::to_string(refused));
}

}  // namespace sbx::supervise
