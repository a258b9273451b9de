// Starts this very program again, as a child that does not outlive us: whoever serves a client runs
// `sbx run` so, whatever has become of the file that we were started from.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

/// Arguments or an environment as execve(2) takes them, with the null pointer at the end; valid as
/// long as `texts` is as it was.
std::vector<char*> exec_pointers(const std::vector<std::string>& texts);

/// What the child gets: these, and nothing else that is open here.
struct ChildStreams {
  int in = -1;
  int out = -1;
  int err = -1;
  int third = -1;  ///< its descriptor 3; -1: it has none
};

struct OwnChild {
  pid_t pid = 0;
  UniqueFd pidfd{};
};

/// `words`: its arguments, without the program's name. `env`: "NAME=value", all of its environment.
/// It leads a process group of its own, so that a terminal's signals are for us alone, and gets
/// SIGKILL when this thread ends. One that cannot be executed says why on `err`, and exits with
/// 125.
SysResult<OwnChild> start_own_program(const std::vector<std::string>& words,
                                      const std::vector<std::string>& env,
                                      const ChildStreams& streams);

/// A child that calls `work` in its copy of our memory, with all that is open here, and ends. It
/// leads a process group of its own, and gets SIGKILL when this thread ends.
SysResult<OwnChild> start_copy(void (*work)(void*) noexcept, void* argument);

}  // namespace sbx::os
