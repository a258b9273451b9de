// All that a folder holds, one entry after another, without following a link or going onto another
// mount.
#pragma once

#include <functional>
#include <string>

#include "base/error.hpp"

namespace sbx::os {

struct WalkedEntry {
  int folder;               ///< that it lies in
  const std::string& name;  ///< in there
  const std::string& path;  ///< from the top
};

/// `go`: on, and into it where it is a folder; `pass`: on, not into it; `stop`: no further.
enum class Walk { go, pass, stop };
using Visit = std::function<SysResult<Walk>(const WalkedEntry&)>;

/// Of an entry that was to be gone into, why it was not: of open(2), or ELOOP where it lies too
/// deep.
using NotEntered = std::function<void(const WalkedEntry&, Errno why)>;

/// Shows `visit` what lies in the folder open at `folder`: a folder before what is in it, which may
/// be removed. What cannot be opened and looked into, or lies 500 levels deep, is not gone into,
/// and `not_entered` told so. Fails when a folder cannot be read, or `visit` does.
SysResult<void> walk_tree(int folder, const Visit& visit, const NotEntered& not_entered = {});

}  // namespace sbx::os
