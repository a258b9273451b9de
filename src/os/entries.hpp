// What a folder lists, without readdir(3), whose buffer is allocated and costs a start page faults.
#pragma once

#include <dirent.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/error.hpp"
#include "base/fail.hpp"

namespace sbx::os {

/// Calls `see(entry)`, which returns a SysResult<void>, for each entry of the folder open at
/// `folder` (not as O_PATH), from its first, but for "." and "..". Ends at the first error, which
/// is its. Async-signal-safe if `see` is; each level of a walk takes the 4 KiB of a listing.
template <class See>
SysResult<void> each_entry(int folder, See see) {
  alignas(::dirent64) char listing[4096];
  if (::lseek(folder, 0, SEEK_SET) < 0) return fail();
  for (;;) {
    const ssize_t size = ::getdents64(folder, listing, sizeof listing);
    if (size < 0) return fail();
    if (size == 0) return {};
    for (ssize_t at = 0; at < size;) {
      const auto& entry = *reinterpret_cast<const ::dirent64*>(listing + at);
      at += entry.d_reclen;
      const std::string_view name = entry.d_name;
      if (name == "." || name == "..") continue;
      if (SysResult<void> seen = see(entry); !seen) return seen;
    }
  }
}

}  // namespace sbx::os
