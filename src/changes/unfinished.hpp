// What an apply that was interrupted has left in the workspace.
#pragma once

#include <string>

#include "base/error.hpp"
#include "changes/store.hpp"

namespace sbx::changes {

/// Of the file that an apply of `run` makes before it takes its place, in whatever folder.
std::string unfinished_name(const std::string& run);

/// Takes away that file, if there is one.
SysResult<void> clear_unfinished(const KeptRun& kept, int workspace);

}  // namespace sbx::changes
