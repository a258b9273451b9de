// Where the run's cgroups can be made, as plain data between os/, plan/ and launch/.
#pragma once

#include <string>
#include <vector>

namespace sbx {

/// How a group of ours comes to be below one of the host's.
enum class CgroupWay {
  direct,  ///< made right there: v1, or v2 where no controller is needed that is not handed down
  leaf,    ///< v2, a group that holds only us: we move into a leaf (or are in one already), and it
           ///< can hand down
  parent,  ///< v2, a group without processes: below a lasting "sbx" of ours, whose own handing down
           ///< keeps others (systemd) from taking a controller away again
  scope,   ///< v2: the user's systemd manager puts us into a scope first, then as `leaf`
};

/// A group of the host's below which the run's group in that hierarchy could be made.
struct CgroupHome {
  int version = 0;      ///< 1 or 2
  std::string mount{};  ///< the hierarchy's mount point
  std::string group{};  ///< relative to it: "/" or "/a/b"; of `scope`: empty
  CgroupWay way = CgroupWay::direct;
  std::vector<std::string> controllers{};  ///< of those asked for, in the order asked for
  std::string problem{};                   ///< not empty: passed over, and why
  std::string fix{};                       ///< what would help, if anything does
};

/// The shell command that gives a user groups of his own below v1 `folders`, and moves his shell
/// into them: a user manager cannot do it, systemd hands down v2 alone.
std::string own_v1_groups_command(const std::vector<std::string>& folders);

}  // namespace sbx
