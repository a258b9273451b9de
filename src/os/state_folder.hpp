// The folders of what a user's runs leave on purpose, and of what can be made again: private, and
// there after the next boot.
#pragma once

#include <cerrno>
#include <string>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

inline constexpr int kNobodySaysWhere = EDESTADDRREQ;

struct StateFolder {
  std::string path;
  UniqueFd fd;
};

/// Opens $XDG_STATE_HOME/sbx/NAME; without that variable /var/lib/sbx/NAME for root, and for
/// everybody else $HOME/.local/state/sbx/NAME (basedir-spec). `make`: also the folders on the way,
/// closed to others. ENOENT: there is none. EPERM: somebody else owns the last one or may write to
/// it. kNobodySaysWhere: HOME is no absolute path either.
SysResult<StateFolder> open_state_folder(const std::string& name, bool make);
/// The same of $XDG_CACHE_HOME, /var/cache and $HOME/.cache.
SysResult<StateFolder> open_cache_folder(const std::string& name, bool make);

/// Of a folder that could not be opened by one of these, or used: `hint` tells what it has to be.
Error state_folder_error(std::string what, std::string hint, int error);

}  // namespace sbx::os
