// What /proc/PID/mountinfo says, line by line (proc_pid_mountinfo(5)). Pure.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/host_facts.hpp"

namespace sbx::os {

/// One mount, as the text has it; a path in it needs unescaped().
struct MountLine {
  std::string_view root;  ///< what of the file system shows at `point`
  std::string_view point;
  std::string_view type;
  std::string_view options;  ///< of the file system
};

/// Those of a file system of one of `types`, or of any if there are none; of others no more is read
/// than that.
void each_mount(std::string_view mountinfo, std::initializer_list<std::string_view> types,
                const std::function<void(const MountLine&)>& see);

/// mountinfo writes space, tab, newline and backslash as three octal digits.
std::string unescaped(std::string_view text);

/// Wherever a procfs, or a part of one, is mounted.
std::vector<ProcMount> parse_proc_mounts(std::string_view mountinfo);

/// Wherever a tree of cgroups is mounted, v1 and v2.
std::vector<std::string> cgroup_mount_points(std::string_view mountinfo);

/// What is mounted below `folder` (absolute, without links), in the kernel's order.
std::vector<std::string> mounts_below(std::string_view mountinfo, const std::string& folder);

}  // namespace sbx::os
