// Trying something for real in a child that is thrown away: whatever it changes, breaks or is
// killed for stays with it. For diagnosis only; a start makes its processes in launch/.
#pragma once

#include <cstdint>

#include "os/idmap.hpp"

namespace sbx::os {

/// What the child does; returns 0 or an errno.
using AttemptBody = int (*)(void*) noexcept;

struct Attempt {
  bool ran = false;       ///< the child was made, and its ids were mapped
  bool killed = false;    ///< it did not end by itself (a filter), or not within five seconds
  int error = 0;          ///< of making it, or what the body returned
  const char* step = "";  ///< what failed before the body: "clone3", "uid_map"
};

/// Runs `body` in a plain child.
Attempt try_in_child(AttemptBody body, void* argument);

/// Runs `body` in a child in new `namespaces` (CLONE_NEW*). With `map` (CLONE_NEWUSER is needed for
/// it) its ids are mapped as in a run before; else it has none, but every capability in its
/// namespaces.
Attempt try_in_namespaces(std::uint64_t namespaces, AttemptBody body, void* argument,
                          const IdMap* map = nullptr);

}  // namespace sbx::os
