// How a cgroup goes: right after its last process, or swept later by another run.
#pragma once

#include <string>

namespace sbx::os {

/// The folder of `group` ("/" or "/a/b") in the hierarchy mounted at `mount`.
std::string cgroup_folder(const std::string& mount, const std::string& group);

/// Removes the group `name` below `parent_fd`; `dir_fd` is its open folder (or -1). Waits for up to
/// a second while the kernel takes the last process apart; what stays is left to a sweep.
void remove_cgroup(int parent_fd, int dir_fd, const char* name, int version);

}  // namespace sbx::os
