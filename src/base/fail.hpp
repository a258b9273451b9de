// The last system call's failure as a value.
#pragma once

#include <cerrno>
#include <expected>

#include "base/error.hpp"

namespace sbx {

/// errno(3), for a function that returns a SysResult. Async-signal-safe.
inline std::unexpected<Errno> fail() noexcept { return std::unexpected(Errno{errno}); }

}  // namespace sbx
