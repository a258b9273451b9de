// What a call that the filter asks about is and says: read from its arguments, and for an address
// from its caller's memory.
#pragma once

#include <linux/seccomp.h>

#include <optional>
#include <string>

#include "os/seccomp_notify.hpp"
#include "os/thread_memory.hpp"

namespace sbx::supervise {

/// The same call with the same arguments.
bool same_call(const seccomp_data& a, const seccomp_data& b);

/// "socket"; of one without a name "call 999", of the other table "32-bit call 5".
std::string operation_of(const seccomp_data& call);

/// Does it make a connection? As kFastOpen of launch/prepared.cpp has it.
bool connects(const seccomp_data& call);

/// Where one that connects goes to. Whoever made it may change that meanwhile.
std::optional<os::NamedAddress> connected_to(const os::SeccompNotice& notice);

}  // namespace sbx::supervise
