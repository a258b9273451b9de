// The workspace on the host while changes are applied: every path is found component by component,
// never through a link, never onto another mount, never out of the workspace.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "changes/change.hpp"
#include "os/fd.hpp"

namespace sbx::changes {

/// A place: a folder, and a name in it.
struct Spot {
  int folder = -1;  ///< the tree's, until it is asked for the next
  std::string name;
};

class Workspace {
 public:
  /// `top` stays the caller's.
  explicit Workspace(int top) : top_(top) {}

  /// ENOENT, ENOTDIR, ELOOP (a link), EXDEV (a mount): there is no such folder.
  SysResult<Spot> spot(std::string_view path);
  /// What stands there; absent too where there is no folder for it.
  SysResult<Entry> look(std::string_view path);
  /// Forgets the folder it was in last: that may be gone.
  void forget();

 private:
  SysResult<int> open_folder(std::string_view path);

  int top_;
  std::string path_;     ///< of what `folder_` is; "": the top
  os::UniqueFd folder_;  ///< none: the top
};

/// chmod(2) of what `name` is, never of what it links to. Works on what may not be read.
SysResult<void> set_mode(int folder, const std::string& name, unsigned mode);

/// Makes the user.* attributes of what `name` is those of `entry`, never of what it links to.
SysResult<void> set_attributes(int folder, const std::string& name, const Entry& entry);

/// Gives a new file the access list (acl(5)) of the one whose place it takes.
SysResult<void> copy_access_list(int folder, const std::string& from, const std::string& to);

}  // namespace sbx::changes
