// From the paths that a command named to the mounts that it needs. Pure, but for the question
// whether a path exists on the host.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "profile/profile.hpp"
#include "supervise/observations.hpp"

namespace sbx::learn {

enum class HostPath {
  absent,
  shared,  ///< everybody on this host may read it, and all that is in it
  own,     ///< for a person to decide: closed to some, a link, a home ...
};
using LookAtHost = std::function<HostPath(const std::string&)>;

/// Something of the host's that a command looked for and that the sandbox does not show.
struct Missing {
  std::string path{};  ///< a file or a folder; never one that is too much to show (/, /home, /opt)
  std::size_t named = 0;  ///< how many paths in it were looked for
  std::string comm{};     ///< by whom first
  HostPath standing = HostPath::shared;
};

struct FileNeeds {
  std::vector<Missing> missing{};      ///< sorted; none lies in another
  std::vector<std::string> refused{};  ///< places where it wanted to write and may not, sorted
  std::vector<Missing> too_wide{};  ///< what is on the host and too much to show (/home, /opt), or
                                    ///< made up by the kernel, sorted
  bool more = false;                ///< there was more than anybody would read
  bool workspace_written = false;   ///< it wanted to write in the workspace, which is read-only
};

/// From what a run has looked for, `seen`, to what its profile lacks. `look`: what stands on the
/// host.
FileNeeds file_needs(const profile::Profile& profile, const plan::Plan& plan,
                     const supervise::Observations& seen, const LookAtHost& look);

}  // namespace sbx::learn
