// What stood at a place when it was looked at, to tell whether it is still that when it is changed:
// reading a large file, and making the one that replaces it, takes long enough for somebody to save
// a line in between.
#pragma once

#include <sys/stat.h>

#include "base/error.hpp"
#include "changes/tree.hpp"

namespace sbx::changes {

class Seen {
 public:
  /// Nothing.
  Seen() = default;
  static SysResult<Seen> at(const Spot& spot);

  /// The same file, not written to, renamed or changed in mode; or nothing, as then. EBUSY: it is
  /// not.
  [[nodiscard]] SysResult<void> check_at(const Spot& spot) const;

 private:
  struct ::stat what_{};
  bool there_ = false;
};

}  // namespace sbx::changes
