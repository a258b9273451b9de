// Ends for memory, a part of decide() (supervise/outcome.hpp). Pure.
#pragma once

#include <string>

#include "supervise/outcome.hpp"

namespace sbx::supervise {

/// The run ended because somebody of it was killed for memory.
void decide_oom(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome);

/// Nobody refuses a page without a cgroup.
void decide_sampled_oom(const plan::Plan& plan, Outcome& outcome);

/// No cgroup counts what its sockets held.
void decide_socket_oom(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome);

/// Some of its processes were killed; `own_end` tells how the command itself ended.
void decide_partial_oom(int process_exit, const std::string& own_end, const Evidence& evidence,
                        const plan::Plan& plan, Outcome& outcome);

/// The command ended by SIGKILL, and somebody was killed for memory.
void decide_killed_with_oom(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome);

}  // namespace sbx::supervise
