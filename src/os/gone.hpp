// Whether a file of /proc says of its process only that it is no more.
#pragma once

#include <cerrno>

namespace sbx::os {

/// proc(5): ENOENT where its folder has gone, ESRCH where it went with the file open; ENXIO of what
/// is below net/ when its network went while the file was being opened (get_proc_net() of the
/// kernel).
constexpr bool is_gone(int error) { return error == ENOENT || error == ESRCH || error == ENXIO; }

}  // namespace sbx::os
