// How much a folder holds, without following a link or going onto another mount.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace sbx::os {

struct TreeSize {
  std::uint64_t bytes = 0;    ///< of the files' contents, each name counted; holes do not count
  std::uint64_t entries = 0;  ///< files, folders and all else
  std::string closed{};       ///< a folder that could not be looked into; "": there is none
};

/// As it counts there, of what stat(2) says of a file; 0 of all else.
std::uint64_t bytes_of(const struct ::stat& what);

/// Of what lies in the folder open at `folder`. What cannot be looked into counts as one entry, and
/// the first such is named. Ends early, with what it has, when it is more than `most`.
SysResult<TreeSize> count_tree(int folder, const TreeSize& most);

}  // namespace sbx::os
