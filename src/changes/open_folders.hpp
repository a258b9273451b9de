// Folders that an apply has of another mode for as long as it works in them: those that were closed
// to their owner, and those it makes. However it ends, each gets the mode that is its own: noted
// beside the kept changes before, so that also who comes after a killed one can give it back.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "changes/change.hpp"
#include "changes/note.hpp"
#include "changes/store.hpp"
#include "changes/tree.hpp"

namespace sbx::changes {

class OpenFolders {
 public:
  /// All stay the caller's.
  OpenFolders(const KeptRun& kept, const ChangeSet& set, int workspace)
      : note_(kept.folder.get()), set_(set), top_(workspace), tree_(workspace) {}

  /// Those of an apply that was interrupted.
  SysResult<void> load();
  /// Opens the folder of the change `i`, if it is one and closed to its owner.
  SysResult<void> open(std::size_t i);
  /// It has been made for us, open to its owner alone.
  SysResult<void> made(std::size_t i);
  /// The mode that it had; nothing: it is not open for us.
  [[nodiscard]] std::optional<unsigned> mode_of(std::size_t i) const;
  /// It has been given the mode it is to have.
  void closed(std::size_t i) { modes_.erase(i); }
  /// Gives all that are left their modes. Error: of one that could not be; the others are.
  SysResult<void> close();

 private:
  SysResult<void> close_one(const Change& change, unsigned mode);

  Note note_;
  const ChangeSet& set_;
  int top_;
  Workspace tree_;
  std::map<std::size_t, unsigned> modes_;  ///< by the index of the change; parents come first
};

}  // namespace sbx::changes
