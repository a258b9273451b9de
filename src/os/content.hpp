// The content of files that hostile programs have made: a size of exabytes costs them one system
// call and must not cost us more than what is really in the file.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace sbx::os {

struct Content {
  std::uint64_t size = 0;    ///< bytes, holes included
  std::uint64_t stored = 0;  ///< bytes of blocks that are not all zero
  /// SHA-256, 64 hex digits, over the number and the bytes of each block of 4 KiB that is not all
  /// zero, then the size: the same for the same content, wherever a file has holes.
  std::string digest{};
};

/// Reads the file open at `fd` from its beginning; its offset moves.
SysResult<Content> digest_content(int fd);

/// The same, and writes it to the empty file open at `to`; what is zero becomes a hole. EFBIG: its
/// size, however little is in it, is too much for the file system there.
SysResult<Content> copy_content(int from, int to);

}  // namespace sbx::os
