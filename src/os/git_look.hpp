// Finds what of a git work tree a payload must not change, so that git on the host neither runs nor
// reads what it has put there (`workspace.git: protect`). All that is read here may have been
// written by a payload of an earlier run: nothing is shown or made writable because a file says so,
// only what is a git folder for real, is the caller's, and says itself that it belongs here.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <string_view>

#include "base/host_facts.hpp"
#include "os/git_entry.hpp"
#include "os/git_places.hpp"

namespace sbx::os {

/// The work tree whose top is `workspace`. Never fails; what is wrong is in `refused`.
GitFacts look_at_git(const SourceFacts& workspace, const HostFacts& host);

class GitLook {
 public:
  GitLook(const SourceFacts& workspace, const HostFacts& host);

  Result<void> look();
  GitFacts facts();

 private:
  // git_look.cpp: .git, and where it leads
  Result<void> forbid_bare_top();
  Result<void> follow_link(const std::string& dot_git);
  Result<void> enter_worktree(const std::string& folder, const std::string& dot_git);
  Result<void> enter_module(const std::string& folder);
  Result<void> show(const std::string& folder, const std::string& leads_to);
  /// The one path in the file at `path`, behind `prefix`; what it means, without links.
  struct Link {
    std::string text;
    std::string target;
  };
  Result<Link> read_link(const std::string& path, std::string_view prefix,
                         const std::string& folder);

  // git_layout.cpp: what is in a git folder
  Result<void> check_repository(const std::string& folder);
  Result<void> check_owner(const std::string& folder, const GitEntry& entry);
  Result<void> add_repository(const std::string& folder);
  Result<void> add_worktrees(const std::string& folder);
  Result<void> add_worktree(const std::string& folder);
  Result<void> add_modules(const std::string& folder, int depth);
  Result<void> add_module(const std::string& folder);
  Result<void> check_links(const std::string& folder);
  Result<void> want_folder(const std::string& path);
  Result<void> lock_file(const std::string& path);
  Result<void> lock_or_forbid(const std::string& path);
  Result<void> lock_folder(const std::string& path, int depth);

  // git_named.cpp: files that a configuration or a link names
  Result<void> add_other_configurations();
  /// One that is the caller's or the system's, and may lie in the workspace, or be made there.
  Result<void> add_own_configuration(const std::string& path);
  Result<void> forbid_missing(std::string path);
  Result<void> read_configurations();
  Result<void> read_configuration(const std::string& path);
  /// The path that a `value` of the file `who` means, which is relative to `from`. Error: it is in
  /// the home of a user that it names.
  [[nodiscard]] Result<std::string> expanded(const std::string& from, const std::string& value,
                                             const std::string& who) const;
  /// What `link` in the locked folder `folder` leads to.
  Result<void> lock_target(const std::string& folder, const std::string& link);
  /// The same for every link in a folder of hooks that is not the payload's.
  Result<void> lock_targets(const std::string& folder);
  Result<void> lock_named(const std::string& lexical, const std::string& who, bool configuration);

  const std::string top_;
  const std::string home_;
  const std::string config_home_;
  const std::vector<std::string> own_configurations_;
  const std::uint32_t owner_;
  std::string own_;  ///< the git folder of this work tree
  GitPlaces places_;
  GitFacts facts_;
  std::deque<std::string> configurations_;  ///< still to be read
  std::set<std::string> read_;
  std::set<std::string> looked_;  ///< folders that links or configurations lead to
};

}  // namespace sbx::os
