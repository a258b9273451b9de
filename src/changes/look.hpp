// What stands at a place of a tree, as an Entry: the host's workspace, or the layer that took a
// run's changes.
#pragma once

#include <sys/stat.h>

#include <string>

#include "base/error.hpp"
#include "changes/change.hpp"

namespace sbx::changes {

enum class Side {
  host,   ///< never changed by looking; what cannot be read has no digest
  layer,  ///< nobody's any more: opened for us where the payload has closed it
  copy,   ///< the same, but no overlay's layer, of which some attributes are not the payload's
};

/// The entry `name` of the folder open at `folder`, which fstatat(2) without following says is
/// `what`. Bits that hand over rights (setuid, setgid) are left out. EINVAL: a socket or a device,
/// which is no entry.
SysResult<Entry> look_at(int folder, const std::string& name, const struct ::stat& what, Side side);

/// The same, but nothing is there, or no folder where it would be: absent.
SysResult<Entry> look_at(int folder, const std::string& name, Side side);

/// Is `now` what `then` was? Not its time, but where the content could not be read.
bool is_same(const Entry& then, const Entry& now);
/// As for files of one content, whatever their mode and attributes.
bool has_same_content(const Entry& a, const Entry& b);

}  // namespace sbx::changes
