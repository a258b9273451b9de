// Files that the caller names and sbx reads for him, outside of any sandbox.
#pragma once

#include <string>

#include "os/fd.hpp"

namespace sbx::os {

/// Opens `path` to read it, without waiting for a FIFO's writer. An earlier payload may have put a
/// link in the place of a file that it could write, or of a folder on the way: none leads out of
/// the current directory, which mostly is the workspace, and the last name is no link at all.
/// Invalid, with errno: ELOOP for that one, EXDEV for those.
UniqueFd open_without_links(const std::string& path);

}  // namespace sbx::os
