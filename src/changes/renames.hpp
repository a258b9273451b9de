// The changes as people look at them: a file that went from one path and came at another was moved.
// Pure.
#pragma once

#include <vector>

#include "changes/change.hpp"

namespace sbx::changes {

struct Shown {
  const Change* change = nullptr;
  /// The deleted file that has just the content of this new one, and is not shown for itself.
  const Change* renamed_from = nullptr;
};

/// All changes but passages, in order. Of several files with one content the ones that keep their
/// name belong together, then the first ones.
std::vector<Shown> shown_changes(const ChangeSet& set);

}  // namespace sbx::changes
