// What the tests of outcomes share: a plan, and evidence in the kernel's words.
#pragma once

#include <chrono>
#include <string>

#include "supervise/outcome.hpp"

namespace sbx::testing {

using supervise::Evidence;
using supervise::Outcome;

inline int exited(int code) { return code << 8; }
inline int killed(int signal) { return signal; }

inline plan::Plan some_plan() {
  plan::Plan plan;
  plan.run_id = "r1";
  plan.profile_name = "default";
  plan.profile_sha256 = std::string(64, 'a');
  plan.argv = {"prog", "\xff"};
  plan.supervision.wall = std::chrono::seconds{60};
  plan.supervision.cpu = std::chrono::seconds{30};
  plan.supervision.output.stdout_bytes = 100;
  plan.isolation.cgroup = "v2";
  return plan;
}

inline Outcome decided(const Evidence& evidence, const plan::Plan& plan = some_plan()) {
  Outcome outcome;
  decide(evidence, plan, outcome);
  return outcome;
}

}  // namespace sbx::testing
