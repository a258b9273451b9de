// Whether a file of /proc says of its process only that it is no more.
#pragma once

#include <cerrno>

namespace sbx::os {

/// proc(5): ENOENT where its folder has gone, ESRCH where it went with the file open.
constexpr bool is_gone(int error) { return error == ENOENT || error == ESRCH; }

}  // namespace sbx::os
