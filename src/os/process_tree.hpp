// A tree of processes that no pid namespace holds together: its root adopts orphans, and may signal
// nobody outside of it, so that "all whom I may signal" is the tree. Allocation-free.
#pragma once

#include "base/error.hpp"

namespace sbx::os {

/// What tells the root of such a tree to end it. No terminal, shell or timer sends it.
int end_tree_signal() noexcept;

/// Whoever of our descendants loses its parent becomes our child (PR_SET_CHILD_SUBREAPER).
SysResult<void> adopt_orphans() noexcept;

/// From here on we and our descendants may signal nobody else (Landlock's signal scope, ABI 6,
/// Linux 6.12). Tried on our parent: EPROTO when it could still be signalled. Needs no_new_privs.
SysResult<void> confine_signals(int landlock_abi) noexcept;

/// Only after both of the above: kills all descendants at once (kill(2), -1, which the kernel does
/// under the lock that fork(2) needs: none slips away), and waits for each.
void end_descendants() noexcept;

/// For the parent of such a root that somebody has killed, if it adopts orphans: kills and reaps
/// what has come to us of the tree, until nothing comes or `rounds` have passed. What we had as
/// children already (a shell may have become us by exec) is not of it: all of the tree have a
/// seccomp filter more than we.
void end_adopted(int rounds) noexcept;

}  // namespace sbx::os
