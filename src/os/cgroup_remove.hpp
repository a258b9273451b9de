// How a cgroup goes: right after its last process, or swept later by another run.
#pragma once

namespace sbx::os {

/// Removes the group `name` below `parent_fd`; `dir_fd` is its open folder (or -1). Waits for up to
/// a second while the kernel takes the last process apart; what stays is left to a sweep.
void remove_cgroup(int parent_fd, int dir_fd, const char* name, int version);

}  // namespace sbx::os
