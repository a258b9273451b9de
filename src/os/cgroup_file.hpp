// A group's control files, below its open folder. Runs in the supervisor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace sbx::os {

/// A control file takes a value in one write(2) or refuses it.
SysResult<void> write_control(int dir_fd, const char* file, std::string_view value);

/// Several lines (one a device in io.max) are several writes: the kernel takes one at a time.
SysResult<void> write_control_lines(int dir_fd, const char* file, std::string_view value);

/// A run's own, whose lock says that it lives, or one that has such folders of several runs in it.
enum class GroupFolder { of_run, shared };

/// Makes a group's folder; an errno of `tolerated` (0: none) is fine.
SysResult<void> make_group_folder(int parent_fd, const char* name, int tolerated, GroupFolder kind);

/// All of a file of /proc or a hierarchy. mountinfo may be long. ENOENT or ESRCH: the process or
/// group has gone.
SysResult<std::string> look_at_kernel_text(const std::string& path, std::size_t most = SIZE_MAX);

/// The same, empty if it cannot be read.
std::string read_kernel_text(const std::string& path, std::size_t most = SIZE_MAX);

/// The first line, without its newline; empty if it cannot be read.
std::string read_control(int dir_fd, const char* file);

/// v2: has the group at `dir_fd` hand `controllers` down to those below it; writes nothing for one
/// that it hands down already. EBUSY: it holds processes. ENOENT: it has no such controller itself.
SysResult<void> hand_down(int dir_fd, const std::vector<std::string>& controllers);

}  // namespace sbx::os
