// The contents in the store, each once, under its SHA-256: objects/ab/cd/abcd..., read-only. Who
// adds or removes one holds the store's lock.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::artifacts {

/// The SHA-256 of the file open at `fd`, read from where it is.
SysResult<std::string> digest_of(int fd);

class Objects {
 public:
  /// Opens the folder `objects` in `store`, or makes it.
  static SysResult<Objects> open(int store);

  /// ENOENT: there is none.
  [[nodiscard]] SysResult<os::UniqueFd> read(const std::string& digest) const;
  /// Is a file of this size there?
  [[nodiscard]] bool has(const std::string& digest, std::uint64_t bytes) const;
  /// Links `name` in `folder`, which is on the disk already, to its place, over a damaged one.
  [[nodiscard]] SysResult<void> add(const std::string& digest, int folder,
                                    const std::string& name) const;
  /// Puts the names of contents that were added, and the folders made for them, on the disk.
  [[nodiscard]] SysResult<void> sync(const std::vector<std::string>& digests) const;
  /// No error when there is none.
  void remove(const std::string& digest) const;
  /// Calls `each` with every digest and what it takes on the disk.
  SysResult<void> each(const std::function<void(const std::string&, std::uint64_t)>& each) const;

 private:
  os::UniqueFd folder_;
};

}  // namespace sbx::artifacts
