// One file's content and facts copied to another, open file, without allocation.
#pragma once

#include <sys/stat.h>

#include "base/error.hpp"

namespace sbx::os {

/// Of a mode: setuid and setgid hand over rights, which a copy does not.
constexpr ::mode_t kCopiedBits = 01777;

/// Writes what the regular file `from` holds to the empty file `to`, holes as holes.
SysResult<void> copy_bytes(int from, int to) noexcept;

/// Gives the open file or folder `to` the mode and times in `what`, and the user.* attributes of
/// `from`, where the file system of `to` can hold such (tmpfs: since Linux 6.6).
SysResult<void> copy_facts(int from, int to, const struct ::stat& what) noexcept;

}  // namespace sbx::os
