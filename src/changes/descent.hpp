// Walks down two trees side by side, however deep they are: a folder of the layer and the one that
// it covers, or one of both. Holds few descriptors, because a payload makes as many levels as it
// likes; what was closed on the way down is opened again by "..".
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "os/fd.hpp"

namespace sbx::changes {

/// One folder on the way down.
struct Level {
  os::UniqueFd upper{};  ///< none: the layer hides all that is below
  os::UniqueFd lower{};  ///< none: there is nothing below
  bool has_upper = false;
  bool has_lower = false;
  bool hides = false;  ///< what the layer does not have is deleted, here and further down
  std::string path{};  ///< relative to the top
  std::vector<std::string> names{};
  std::size_t next = 0;
  ::ino_t upper_node = 0;  ///< to know them again
  ::ino_t lower_node = 0;

  /// The path of `name` in it.
  [[nodiscard]] std::string path_of(const std::string& name) const;
};

class Descent {
 public:
  /// Goes into `level`, whose descriptors are set, and lists its names: those of the layer, and of
  /// what is below where the layer hides it.
  SysResult<void> enter(Level level);
  /// Back to the level above. ESTALE: it is not where it was.
  SysResult<void> leave();

  [[nodiscard]] bool done() const { return levels_.empty(); }
  [[nodiscard]] Level& level() { return levels_.back(); }

 private:
  std::vector<Level> levels_;
};

}  // namespace sbx::changes
