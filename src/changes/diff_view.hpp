// A set of changes for people, in the two forms that they know from git. Names and contents are a
// payload's, and nothing of them reaches a terminal as it is. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "changes/change.hpp"
#include "changes/view_contents.hpp"

namespace sbx::changes {

struct ViewOptions {
  bool colour = false;
  int columns = 80;
  /// For a terminal: control bytes in contents are shown as escapes. Colour has the same effect: a
  /// program that reads a patch wants neither.
  bool escape = false;
};

/// As `git diff --stat`: a line for each change, and a sum; then what could not be kept. Empty when
/// there is neither.
std::string stat_view(const ChangeSet& set, const ReadContent& read, const ViewOptions& options);

/// Takes whole lines; false: no more are wanted.
using TakeLines = std::function<bool(std::string_view lines)>;

/// As `git diff`. Without colour `git apply` takes it, and skips what git has no form for: those
/// are lines that begin with "# ". `take` gets it change by change, as all the contents of a run
/// may be more than there is memory.
void patch_view(const ChangeSet& set, const ReadContent& read, const ViewOptions& options,
                const TakeLines& take);

}  // namespace sbx::changes
