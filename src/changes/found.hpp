// What stands at a name on one side of a comparison, before anybody has looked closer.
#pragma once

#include <sys/stat.h>

#include <string>

#include "base/error.hpp"

namespace sbx::changes {

/// What fstatat(2) says of a name on one side.
struct Found {
  struct ::stat what{};
  bool there = false;
  [[nodiscard]] mode_t type() const { return there ? what.st_mode & S_IFMT : 0; }
  /// The layer's word for "deleted" (kernel: overlayfs.rst, "whiteouts").
  [[nodiscard]] bool is_whiteout() const { return type() == S_IFCHR && what.st_rdev == 0; }
};

/// Looks for `name` in `folder`, where that side has the folder at all; never through a link.
SysResult<Found> find(bool has_side, int folder, const std::string& name);

/// Kinds of which os::copy_tree makes copies.
bool is_copied(::mode_t type);

}  // namespace sbx::changes
