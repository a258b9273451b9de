// Which folders cannot be shown by an id-mapped mount: a file system says that only when it is
// tried (FS_ALLOW_IDMAP, can_idmap_mount() in fs/namespace.c).
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/host_facts.hpp"

namespace sbx::os {

/// The mount below `folder` that cannot be mapped by the namespace `space`; empty: none. A tree is
/// mapped as a whole or not at all, and the kernel does not say for which of its mounts it refuses.
std::string refusing_mount(std::string_view mountinfo, const std::string& folder, int space);

/// Tries each of `folders` (canonical paths), on a copy that nobody sees; asked only by who could
/// go on without. What keeps it from being tried is no refusal: whoever maps it meets that again.
std::map<std::string, NoIdmap> idmap_refusals(const std::set<std::string>& folders,
                                              std::string_view mountinfo);

/// Of a sandbox that this process would make: would it be refused to show what is at `path`,
/// through links? Only root's maps it.
bool refuses_idmap(const std::string& path);

}  // namespace sbx::os
