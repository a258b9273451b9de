// System calls that name a file: where in their arguments. Pure data.
#pragma once

#include <cstdint>
#include <span>

namespace sbx::seccomp {

/// One path among the arguments of a call.
struct PathCall {
  std::uint32_t number = 0;
  int path = 0;          ///< the argument that is the address of the path
  int folder = -1;       ///< the argument that a relative path begins at; -1: the working directory
  int flags = -1;        ///< the argument with flags of open(2); -1: none
  bool changes = false;  ///< changes the file, or the folder that it is in
};

/// A call with two paths has two entries. Without execve(2) and execveat(2): the launcher's own
/// exec could not be told from the payload's.
std::span<const PathCall> path_calls();

}  // namespace sbx::seccomp
