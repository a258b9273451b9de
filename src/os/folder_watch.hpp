// Names in folders of the host, watched with inotify(7): the kernel says when one of them comes
// into being. Runs in the supervisor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::os {

class FolderWatch {
 public:
  /// Watches the folder at `path`, which no link leads to; from here on it is this folder, wherever
  /// it goes. Its number is how many were added before it.
  SysResult<void> add(const std::string& path);

  /// -1: nothing is watched. Readable when something has come into being.
  [[nodiscard]] int fd() const { return notify_.get(); }
  /// Calls `told` for each name that was made in, or moved into, the folder of that number; with an
  /// empty name when the kernel has lost count of them.
  void read(const std::function<void(std::size_t, const char*)>& told);

  /// The inode of what has this name there; nothing: none has. 0: that cannot be told.
  [[nodiscard]] std::optional<std::uint64_t> inode(std::size_t folder,
                                                   const std::string& name) const;
  /// Removes a file, or a folder that is empty.
  SysResult<void> remove(std::size_t folder, const std::string& name) const;

 private:
  UniqueFd notify_;
  std::vector<UniqueFd> folders_;
  std::vector<int> watches_;  ///< of the same number
};

}  // namespace sbx::os
