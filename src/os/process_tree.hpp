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

// Nothing happens in a process that has not been through confine_signals(), itself or before its
// fork: to signal "all" would be to signal the caller's.

/// For who adopts: kills all others of the tree at once (kill(2), -1, which the kernel does under
/// the lock that fork(2) needs: none slips away), and waits for each.
void end_descendants() noexcept;

/// For a member that adopts nobody: the same, but it is for others to wait for them. Nobody of them
/// does anything more but end what call it is in.
void end_others() noexcept;

}  // namespace sbx::os
