// Who a thread is, from /proc/TID/status (proc(5)).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace sbx::os {

struct ThreadFacts {
  std::string name;         ///< comm: the program's, or what the thread calls itself; any bytes
  pid_t process = 0;        ///< its thread group, in our pid namespace
  pid_t inner_process = 0;  ///< the same in the innermost one: what it takes itself for
};

/// nullopt: it has gone, or this host does not show it to us.
std::optional<ThreadFacts> thread_facts(pid_t thread);

}  // namespace sbx::os
