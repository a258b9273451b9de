// How a path that somebody untrusted has named stands on this host, without following any link of
// theirs and without waking an automounter or a file server.
#pragma once

#include <cstdint>
#include <string>

namespace sbx::os {

enum class PathStanding {
  absent,
  shared,   ///< a file or folder, and all that is in it, that everybody on this host may read
  private_  ///< anything else that exists: closed to some, a link on the way, a socket, a remote
            ///< file system
};

/// Looks at the absolute `path` component by component, and into a folder up to some thousand
/// entries.
PathStanding look_at_path(const std::string& path);

/// Is nothing at the absolute `path`, as far as the caller can tell? `follow`: of a path that the
/// caller has named, through links; else one with a link on the way counts as there.
bool is_missing(const std::string& path, bool follow);

/// What a path that the caller has named leads to, through links; empty: nowhere, or nobody may
/// look.
std::string real_path(const std::string& path);

/// Does it lead to a character device?
bool is_device(const std::string& path);

}  // namespace sbx::os
