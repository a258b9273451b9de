// What calls have brought into a session's workspace while runs went on that had begun before: of
// each path, how those found it. What a run has left so is no change of its own, however old it is
// by now.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "changes/apply.hpp"
#include "changes/change.hpp"
#include "os/fd.hpp"
#include "supervise/clock.hpp"

namespace sbx::mcp {

class Journal {
 public:
  /// `folder`: an empty one of the session's, closed to commands.
  explicit Journal(os::UniqueFd folder) : folder_(std::move(folder)) {}

  /// Writes down what is about to be brought in. Nobody else writes meanwhile.
  [[nodiscard]] SysResult<void> prepare(const changes::ChangeSet& set) const;
  /// It is in, as far as it came: from now on runs begin with it.
  [[nodiscard]] SysResult<void> commit() const;
  /// Nobody will ask for what was brought in before `time`.
  void forget(supervise::Nanos time) const;

  /// How each path that has changed since then was at `time`.
  using Past = std::map<std::string, changes::Entry>;
  [[nodiscard]] Result<Past> since(supervise::Nanos time) const;

 private:
  os::UniqueFd folder_;
};

/// Takes out of `set` what its run has left as it was, and marks as disturbed what both the run and
/// others have changed.
void reconcile(changes::ChangeSet& set, const Journal::Past& past);

/// Of a run that had a copy of the workspace, `set` as it was read: what others have put in place
/// of what the copy had, and the copy lacks. Where it has the same as they, that cannot be told
/// apart. `tree`: the workspace.
std::vector<changes::Conflict> deleted_meanwhile(const changes::ChangeSet& set,
                                                 const Journal::Past& past, int tree);

}  // namespace sbx::mcp
