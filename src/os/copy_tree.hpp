// A folder of somebody's project copied into a file system of ours, as the sandbox starts: where no
// overlay can show it. Allocation-free: init calls this after clone.
#pragma once

#include <cstddef>

#include "base/error.hpp"

namespace sbx::os {

/// Levels of folders that a copy can have; each takes two descriptors.
constexpr std::size_t kDeepestCopy = 200;

/// Copies all that is in the folder open at `from` (for reading) into the empty one open at `to`.
/// Contents with their holes, modes without setuid and setgid, times, user.* attributes, links as
/// they are, names of one file as names of one file. Left out, as an overlay would hide them too:
/// sockets, devices, and what is mounted inside. `links`: an empty folder of the same file system
/// as `to`, for the time of the copy. What comes or goes at `from` meanwhile
/// may be in the copy or not; the copy itself is nobody else's.
///
/// EACCES: something cannot be read, unless that is to be left out. ENOSPC: it does not fit. ELOOP:
/// too many levels.
enum class Closed { is_an_error, is_left_out };
SysResult<void> copy_tree(int from, int to, int links,
                          Closed closed = Closed::is_an_error) noexcept;

}  // namespace sbx::os
