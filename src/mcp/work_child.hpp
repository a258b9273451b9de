// Work on the workspace that may take long, done by a copy of this process while the loop goes on.
// What it does to files stays; of its memory its answer alone comes back.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "base/error.hpp"
#include "mcp/message.hpp"
#include "os/fd.hpp"
#include "supervise/poll_set.hpp"

namespace sbx::mcp {

class WorkChild {
 public:
  /// Called in the copy alone. It holds all that is open here until it ends.
  using Work = std::function<Json()>;
  static Result<WorkChild> start(const Work& work);
  WorkChild(WorkChild&&) noexcept = default;
  WorkChild& operator=(WorkChild&&) = delete;
  WorkChild(const WorkChild&) = delete;
  WorkChild& operator=(const WorkChild&) = delete;
  /// Waits for its end; see kill().
  ~WorkChild();

  void watch(supervise::PollSet& set);
  void step(const supervise::PollSet& set);
  void kill();

  [[nodiscard]] bool ended() const { return pid_ == 0 && !answer_.valid(); }
  /// Of an ended one. Null: it has ended without an answer, in the midst of its work.
  [[nodiscard]] Json answer() const;

 private:
  WorkChild() = default;

  pid_t pid_ = 0;
  os::UniqueFd pidfd_{};
  os::UniqueFd answer_{};
  std::string text_{};
  std::size_t ended_index_ = supervise::kNotPolled;
  std::size_t answer_index_ = supervise::kNotPolled;
};

}  // namespace sbx::mcp
