// The payload's start, and what it does while init makes the new root. It comes before the mounts:
// the kernel needs nearly as long for the network namespace. And it comes after the ids: by then
// the supervisor has done its part, and the scheduler finds a processor for a third process.
#include "plan/builder.hpp"

namespace sbx::plan {

void plan_fork(Builder& b) {
  b.add(Phase::init, ForkPayload{}, "pid 2 runs the command, pid 1 reaps");
  if (b.profile.network.mode != profile::NetworkMode::host)
    b.add(Phase::payload, NewNetwork{}, "no interface, port or abstract socket of the host's",
          "network");
}

Result<void> plan_meanwhile(Builder& b) {
  if (b.profile.network.mode != profile::NetworkMode::host) {
    b.add(Phase::payload, RaiseLoopback{}, "programs talk to themselves on 127.0.0.1 and ::1",
          "network");
    SBX_CHECK(plan_gateway(b));
  }
  b.add(Phase::payload, ResetSignals{}, "no ignored or blocked signal is inherited");
  b.add(Phase::payload, ResetInherited{seccomp::may_use_keys(b.plan.seccomp)},
        "nor a personality, priority or key of the caller's");
  if (!b.plan.supervision.tty) plan_stdio(b);
  b.add(Phase::payload, NoNewPrivs{}, "no setuid binary gives anything");
  return {};
}

}  // namespace sbx::plan
