// What the disk has to take when an image is unpacked, and does not.
#pragma once

#include <cerrno>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace sbx::images {

/// "cannot WHAT"
inline Error cannot(std::string what, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  return {.kind = ErrorKind::host,
          .what = "cannot " + std::move(what),
          .hint = full ? "make room, or let XDG_CACHE_HOME name a folder where there is some" : "",
          .sys_errno = error};
}

}  // namespace sbx::images
