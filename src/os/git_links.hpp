// Symbolic links in a git folder, through which git on the host would write: to COMMIT_EDITMSG and
// logs/HEAD, for example, it does so without a look (git itself makes none). Runs in the
// supervisor.
#pragma once

#include <string>
#include <vector>

namespace sbx::os {

struct GitLinks {
  std::vector<std::string> paths;  ///< relative to the folder; with `remove` those that are gone
  std::vector<std::string> left;   ///< with `remove`: those that are still there
  bool whole = true;               ///< false: it is too large or too deep, or cannot be read
};

/// Looks through the git folder `path`, but not at what git only reads content from (objects), what
/// is locked (hooks), what others keep there (lfs, annex), and submodules' own git folders.
GitLinks find_git_links(const std::string& path, bool remove);

}  // namespace sbx::os
