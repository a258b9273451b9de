// The folders of what a user's runs leave on purpose, and of what can be made again: private, and
// there after the next boot.
#pragma once

#include <string>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

struct StateFolder {
  std::string path;
  UniqueFd fd;
};

/// Opens $XDG_STATE_HOME/sbx/NAME; without that variable /var/lib/sbx/NAME for root, and for
/// everybody else $HOME/.local/state/sbx/NAME (basedir-spec). `make`: also the folders on the way,
/// closed to others. ENOENT: there is none, or nobody says where. EPERM: somebody else owns the
/// last one or may write to it.
SysResult<StateFolder> open_state_folder(const std::string& name, bool make);
/// The same of $XDG_CACHE_HOME, /var/cache and $HOME/.cache.
SysResult<StateFolder> open_cache_folder(const std::string& name, bool make);

}  // namespace sbx::os
