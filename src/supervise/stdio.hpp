// Which way each standard stream of the payload goes. Pure: the caller's three descriptors are
// described first (stdio_setup.hpp), then decided on here.
//
// The payload never gets the caller's own descriptor: through /proc/self/fd it could open a file or
// a pipe again with other rights (pipe(7): an inode like others), and so read what others have
// written to standard output, write what the next command reads of standard input, and leave
// O_NONBLOCK behind; and a terminal takes input from whoever holds it. All goes through pipes of
// ours; /dev/null is opened anew.
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
};

enum class Route {
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
