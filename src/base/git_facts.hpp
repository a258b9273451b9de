// What of a git work tree has to stay as it is, so that git on the host neither runs nor reads what
// a payload has put there. Plain data: os/git_look finds it, plan/git.cpp makes steps of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace sbx {

enum class GitKeep {
  held,    ///< a folder that is written to, but neither moved nor replaced
  closed,  ///< held, and nothing is made or taken away in it; what is held in it is written to
  locked,  ///< a file or folder that is not written to
  absent,  ///< nothing, and nothing is to appear
};

struct GitPlace {
  std::string path;  ///< absolute on the host, without links
  GitKeep keep = GitKeep::locked;
  bool watched = true;  ///< nobody replaces it while a payload runs; false: git itself may
};

struct GitFacts {
  std::optional<Error> refused{};           ///< why nothing can be promised
  std::vector<GitPlace> places{};           ///< parents before what is in them
  std::vector<std::string> repositories{};  ///< git folders, with those of submodules
  /// The git folder that is not in the workspace; empty: there is none.
  std::string folder{};
  std::uint32_t uid = 0;  ///< its owner
  std::uint32_t gid = 0;
  std::string link{};       ///< what the workspace's .git says, as it is written
  std::string below{};      ///< where in `folder` that leads: "/worktrees/x", or nothing
  std::string work_tree{};  ///< core.worktree of a submodule, as it is written
  /// Elsewhere on the host: configurations, hooks, and what links in those lead to, there or not.
  std::vector<std::string> elsewhere{};
};

}  // namespace sbx
