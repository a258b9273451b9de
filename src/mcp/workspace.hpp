// The workspace that the calls of one session share. Of an overlay, or of none, it is the session's
// own: a copy, which each run gets as the lower layer of an overlay of its own, and into which the
// run's changes are brought when it has ended. Else it is the operator's folder itself.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/path_pattern.hpp"
#include "changes/apply.hpp"
#include "changes/change.hpp"
#include "mcp/git_guard.hpp"
#include "mcp/journal.hpp"
#include "mcp/session_folder.hpp"
#include "os/fd.hpp"
#include "os/ids.hpp"
#include "profile/profile.hpp"
#include "supervise/clock.hpp"

namespace sbx::mcp {

class Workspace {
 public:
  /// `cwd`: what a relative source is relative to. `env`: of the runs. `id`: of the session, as of
  /// a run. Takes no time: see lacks_copy().
  static Result<Workspace> open(const profile::Profile& profile, const std::string& cwd,
                                const std::map<std::string, std::string>& env,
                                const std::string& id);

  /// Is it a session's own, in which what the operator's folder has is still to come?
  [[nodiscard]] bool lacks_copy() const { return is_own() && host_.valid(); }
  /// Copies that, which may take long; also in a copy of this process. Until it is done nothing
  /// else is asked of the workspace, and what has failed is no workspace.
  [[nodiscard]] Result<void> copy_host() const;
  /// Makes a folder for runs that are to show before that what they can, and returns its path. It
  /// has where mounts of the profile's go, and `workdir`, as the operator's folder has them, and no
  /// more.
  [[nodiscard]] Result<std::string> make_stand_in(const std::optional<std::string>& workdir) const;

  /// The folder, open for reading.
  [[nodiscard]] int folder() const { return tree_.get(); }
  [[nodiscard]] const std::string& at() const { return at_; }
  /// With whose rights tools look into it and write there: those that commands have.
  [[nodiscard]] std::optional<os::Ids> rights() const { return rights_; }
  [[nodiscard]] bool is_own() const { return base_.valid(); }
  [[nodiscard]] bool writable() const { return is_own() || mode_ == profile::WorkspaceMode::rw; }
  /// May the client put the session's changes into the operator's folder?
  [[nodiscard]] bool applies() const { return host_.valid() && keep_ == profile::Keep::apply; }
  /// Where a session's own is, for its runs.
  [[nodiscard]] std::string own_path() const {
    return session_ && is_own() ? session_->path() + "/" + kTree : "";
  }

  /// "src/a.py" of "/workspace/src/a.py", "./src/a.py" or "src/a.py"; "" is the folder itself.
  /// Error: it leads elsewhere, or it is hidden by the profile's `mask`.
  [[nodiscard]] Result<std::string> relative(std::string_view path) const;
  /// Is this one of the operator's files that commands do not see: masked, or below a mount?
  [[nodiscard]] bool hides(std::string_view relative) const;
  /// Error: git obeys what would be written there (`workspace.git: protect`), or may do so.
  [[nodiscard]] Result<void> check_git(std::string_view relative) const;

  /// Before a file `name`, of unfinished_name(), comes to be in `folder` (relative()), for as long
  /// as it is there: a server that is killed leaves none. Only where it is writable().
  [[nodiscard]] SysResult<void> note_write(const std::string& folder,
                                           const std::string& name) const;
  void forget_write() const;

  struct Merged {
    bool kept = false;  ///< all that the next call can see
    std::vector<changes::Conflict> conflicts{};
    std::string warning{};
  };
  /// What else has gone on while a run did.
  struct Meanwhile {
    supervise::Nanos began = 0;  ///< when it was started
    /// When the first of the others was that are not brought in yet; nullopt: there are none.
    std::optional<supervise::Nanos> others{};
    bool copied = false;  ///< it had a copy of the workspace, and no overlay
  };
  /// Brings what a run has kept ("": nothing) into the session's workspace: all, or nothing where
  /// another call has changed the same meanwhile.
  Merged merge(const std::string& run, const Meanwhile& meanwhile);
  /// Before write_file changes `path` (relative()) and makes the folders that it lacks: what runs
  /// under way have not seen is no change of theirs. Only of a session's own.
  [[nodiscard]] SysResult<void> prepare_write(std::string_view path,
                                              const Meanwhile& meanwhile) const;
  /// It is done, as far as it came.
  [[nodiscard]] Result<void> commit_write(const Meanwhile& meanwhile) const;
  /// Nobody wants what a run has kept.
  static void forget(const std::string& run);

  /// What the session has changed: `use` gets the set, and the contents. `paths`: relative(); all
  /// when there are none.
  struct Difference;
  [[nodiscard]] Result<Difference> difference(std::span<const std::string> paths) const;
  struct Brought {
    changes::Applied applied{};
    std::vector<changes::Omission> omitted{};  ///< of all that differs, whatever `paths` name
  };
  /// Puts it into the operator's folder. Only where it applies().
  Result<Brought> apply(std::span<const std::string> paths);
  /// When the session ends, with `keep: diff` or `apply`: what is left is kept, for `sbx diff`.
  /// Returns the name of it, or "" when there is nothing.
  Result<std::string> keep_rest();

  /// What something makes of the workspace: files and folders, and bytes of contents.
  struct Growth {
    std::uint64_t added_bytes = 0;
    std::uint64_t freed_bytes = 0;
    std::uint64_t added_names = 0;
    std::uint64_t freed_names = 0;
  };
  /// Of a file of `bytes` at `path` (relative()), with the folders that it needs.
  [[nodiscard]] Growth growth_of(const std::string& path, std::uint64_t bytes) const;
  /// Before the folder `path` (relative()) comes into being: can a run still find what is masked?
  [[nodiscard]] Result<void> check_depth(std::string_view path) const;
  /// Before it is done: does it still fit into workspace.size? What does not grow always does.
  [[nodiscard]] Result<void> check_room(const Growth& growth) const;

 private:
  static constexpr const char* kTree = "tree";
  static constexpr const char* kBase = "base";

  Workspace() = default;
  Result<void> make_own();
  [[nodiscard]] Result<void> check_host_size() const;
  [[nodiscard]] Growth growth_of(const changes::ChangeSet& set) const;
  [[nodiscard]] Result<void> copy_host_to_tree(const SessionFolder& session) const;
  [[nodiscard]] SysResult<void> copy_as_owner(int links) const;
  [[nodiscard]] Result<void> copy_tree_to_base(const SessionFolder& session) const;
  [[nodiscard]] bool masks(std::string_view relative) const;
  /// Takes out what the profile hides. Returns a warning about what it masks, or "".
  std::string drop_hidden(changes::ChangeSet& set) const;
  Result<void> bring_in(const std::optional<changes::KeptRun>& kept, changes::ChangeSet& set,
                        const Journal& journal, const Meanwhile& meanwhile, Merged& merged);
  Result<void> apply_to_tree(const changes::KeptRun& kept, const changes::ChangeSet& set,
                             const Journal& journal, const Meanwhile& meanwhile, Merged& merged);
  Result<changes::ChangeSet> harvest(const changes::Staging& staging) const;
  Result<changes::Applied> apply_kept(const changes::KeptRun& kept, const changes::ChangeSet& set,
                                      std::span<const std::string> paths);

  std::string id_;
  std::string profile_;
  std::string source_;  ///< the operator's folder, absolute
  std::string at_;
  profile::WorkspaceMode mode_ = profile::WorkspaceMode::none;
  profile::Keep keep_ = profile::Keep::none;
  profile::Bytes size_ = 0;
  std::vector<std::unique_ptr<PathPattern>> masks_{};
  std::vector<std::string> mounts_{};  ///< what the profile shows there instead
  std::optional<GitGuard> git_{};
  bool searches_ = false;                   ///< a mask has `**`: each run looks through all folders
  std::optional<SessionFolder> session_{};  ///< none: nobody can write
  std::optional<os::Ids> rights_{};
  os::UniqueFd host_{};  ///< the operator's folder; none: there is none
  os::UniqueFd tree_{};
  std::optional<Journal> journal_{};  ///< of a session's own
  os::UniqueFd
      base_{};  ///< of a session's own: as the operator's folder was, but for what was applied
};

/// Changes with what shows their contents, while this lives.
struct Workspace::Difference {
  changes::ChangeSet set;
  int before = -1;  ///< the folder that has what was
  int after = -1;
};

}  // namespace sbx::mcp
