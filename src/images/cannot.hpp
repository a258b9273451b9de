// What the disk has to take when an image is unpacked, and does not.
#pragma once

#include <cerrno>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace sbx::images {

/// "cannot WHAT"
inline Error cannot(std::string what, int error) {
  std::string hint;
  if (error == ENOSPC || error == EDQUOT)
    hint = "make room, or let XDG_CACHE_HOME name a folder where there is some";
  if (error == EFBIG) hint = kFileSizeHint;
  return {.kind = ErrorKind::host,
          .what = "cannot " + std::move(what),
          .hint = std::move(hint),
          .sys_errno = error};
}

}  // namespace sbx::images
