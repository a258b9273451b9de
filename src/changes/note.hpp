// What an apply notes beside the kept changes while it works, for whoever comes after one that was
// killed: the folder of the workspace that its unfinished file may be in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace sbx::changes {

class Note {
 public:
  /// `folder`: the kept run's; stays the caller's.
  explicit Note(int folder) : folder_(folder) {}

  /// Is an apply under way, or was one interrupted?
  [[nodiscard]] bool is_there() const;
  /// One is under way, and nothing is unfinished.
  [[nodiscard]] SysResult<void> begin() const;
  /// A file in `folder` of the workspace ("": itself) may be unfinished from now on.
  [[nodiscard]] SysResult<void> unfinished_in(std::string_view folder) const;
  /// That folder; none, when no file is.
  [[nodiscard]] SysResult<std::optional<std::string>> unfinished() const;
  /// Nothing is under way any more.
  void remove() const;

 private:
  int folder_;
};

}  // namespace sbx::changes
