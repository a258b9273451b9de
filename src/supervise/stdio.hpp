// Which way each standard stream of the payload goes. Pure: the caller's three descriptors are
// described first (stdio_setup.hpp), then decided on here.
//
// The payload gets the caller's own descriptor only when that is a pipe or /dev/null and nothing
// has to be seen on the way. Anything else goes through a pipe of ours: through /proc/self/fd the
// payload could open a file again with other rights, a named pipe too (fifo(7)), and a terminal
// takes input from whoever holds it.
#pragma once

#include <array>
#include <cstdint>

#include "base/error.hpp"
#include "plan/plan.hpp"

namespace sbx::supervise {

enum class FileKind { null_device, fifo, regular, socket, terminal, device, directory };

/// What fstat(2) says of one of the caller's 0, 1 and 2.
struct StreamFacts {
  FileKind kind = FileKind::null_device;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool named = false;  ///< a pipe that has a path
};

enum class Route {
  pass,         ///< the caller's descriptor itself
  null,         ///< /dev/null
  file,         ///< stdin: plan.supervision.input_file, through a pipe
  relay,        ///< through a pipe, from or to the caller's descriptor
  keep,         ///< through a pipe, kept for the result, not shown
  with_stdout,  ///< stderr: into stdout's pipe, so that their order is kept
  pty,          ///< through the run's own pty
};

struct StdioRoutes {
  Route in = Route::null;
  Route out = Route::null;
  Route err = Route::null;
};

/// `caller`: stdin, stdout, stderr. Error: one of them is a directory.
Result<StdioRoutes> decide_stdio(const plan::Supervision& supervision,
                                 const std::array<StreamFacts, 3>& caller);

}  // namespace sbx::supervise
