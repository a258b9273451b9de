// Removes what a payload left in a folder, however deep, wide or unreadable it made it.
#pragma once

#include "base/error.hpp"

namespace sbx::os {

/// Empties the folder open at `folder`, as its owner. Needs two descriptors whatever the depth, and
/// follows no link. Nobody may be working in there any more. Allocation-free.
SysResult<void> empty_folder(int folder) noexcept;

/// The same, and then removes it: `name` in `parent`. What cannot be removed stays, for who sweeps.
void remove_folder(int parent, int folder, const char* name) noexcept;

}  // namespace sbx::os
