// What an apply that was interrupted has left in the workspace.
#pragma once

#include <string>

#include "base/error.hpp"
#include "changes/store.hpp"

namespace sbx::changes {

/// Of the file that an apply of `run` makes before it takes its place, in whatever folder.
std::string unfinished_name(const std::string& run);

/// Takes away that file, if there is one.
SysResult<void> remove_unfinished(const KeptRun& kept, int workspace);

/// The same, and gives folders that it has opened or made the modes that are theirs. `set`: all
/// that is kept of the run.
SysResult<void> clear_unfinished(const KeptRun& kept, const ChangeSet& set, int workspace);

/// The same in passing, in the workspace that the run was of, if that is still there. Nothing is
/// read but a note when nothing is left.
void clear_unfinished(const KeptRun& kept);

}  // namespace sbx::changes
