// Opens what decide_stdio() decided on: the payload's side of 0, 1 and 2, and ours.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "launch/launcher.hpp"
#include "os/fd.hpp"
#include "os/pipe.hpp"
#include "supervise/stdio.hpp"

namespace sbx::supervise {

/// Of an open descriptor; `device` when fstat(2) fails.
FileKind kind_of(int fd);

struct Stdio {
  StdioRoutes routes{};
  std::array<StreamFacts, 3> caller{};
  launch::StdioFds payload{};  ///< for the launch; borrowed from below or from the caller
  os::UniqueFd null;           ///< /dev/null, for either direction
  os::UniqueFd input_file;     ///< Route::file
  os::Pipe in, out, err;       ///< unset where the route needs none

  /// After the launch: closes the payload's side of our pipes, so that their end can be seen.
  void close_payload_side();
};

/// The file at `path` as somebody's standard input. Errors: it is not there, no regular file, or a
/// symbolic link.
Result<os::UniqueFd> open_input(const std::string& path);

/// 0, 1 and 2 have to be open; `read_only`: what os::fill_standard_fds() says of them. Error: a
/// stream that cannot be used, an input file that cannot be opened.
Result<Stdio> set_up_stdio(const plan::Supervision& supervision,
                           const std::array<bool, 3>& read_only);

}  // namespace sbx::supervise
