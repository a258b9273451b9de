// Reads what a run has changed out of the layer that took its writes, when the run is over:
// compares with the folder below, and copies the contents.
#pragma once

#include <functional>

#include "base/error.hpp"
#include "changes/change.hpp"
#include "changes/store.hpp"

namespace sbx::changes {

struct Layers {
  int upper = -1;  ///< the overlay's, open for reading; nobody works in there any more
  int lower = -1;  ///< the workspace on the host, open for reading; never written to
  /// CLOCK_REALTIME when the run began, nanoseconds: what of the host's has changed since then is
  /// disturbed.
  std::int64_t began_ns = 0;
  /// The layer has all of the workspace, as a copy: what it lacks is deleted.
  bool whole = false;
  /// `upper` is a tree that stays in use: nothing in it is opened or closed for us. What is closed
  /// in there is told by its time, and its content is not kept.
  bool stays = false;
};

/// Adds all changes and omissions to `set`, and their contents to `staging`. The payload has chosen
/// every name, depth, size and kind in the layer: E2BIG: more names than anybody can look through.
/// ECANCELED: `ended`, asked at each name, said that nobody waits any more. Other errors are the
/// file systems'.
SysResult<void> harvest(const Layers& layers, const Staging& staging, ChangeSet& set,
                        const std::function<bool()>& ended = {});

}  // namespace sbx::changes
