// What an apply notes beside the kept changes while it works, for whoever comes after one that was
// killed: the folder of the workspace that its unfinished file may be in, and the folders that are
// not of their own mode.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace sbx::changes {

class Note {
 public:
  /// A folder of the workspace: the index of its change, and the mode that is its own.
  struct Folder {
    std::size_t index = 0;
    unsigned mode = 0;
  };

  /// `folder`: the kept run's; stays the caller's.
  explicit Note(int folder) : folder_(folder) {}

  /// Has the run, of those kept in `store`, one? Its folder need not be opened for that.
  static bool is_of(int store, const std::string& run);
  /// Is an apply under way, or was one interrupted?
  [[nodiscard]] bool is_there() const;
  /// One is under way, and nothing is unfinished.
  [[nodiscard]] SysResult<void> begin() const;
  /// A file in `folder` of the workspace ("": itself) may be unfinished from now on.
  [[nodiscard]] SysResult<void> unfinished_in(std::string_view folder) const;
  /// That folder; none, when no file is.
  [[nodiscard]] SysResult<std::optional<std::string>> unfinished() const;
  /// That folder is open, or is about to be.
  [[nodiscard]] SysResult<void> add_open(Folder opened) const;
  [[nodiscard]] SysResult<std::vector<Folder>> open_folders() const;
  /// Something of what is to be done may be half done, but no file is unfinished and no folder is
  /// open any more.
  [[nodiscard]] SysResult<void> settle() const;
  /// Nothing is under way any more.
  void remove() const;

 private:
  int folder_;
};

}  // namespace sbx::changes
