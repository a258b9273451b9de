#include "mcp/workspace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/fail.hpp"
#include "base/lexical_path.hpp"
#include "base/text.hpp"
#include "mcp/prune.hpp"
#include "mcp/write_note.hpp"
#include "os/borrowed_rights.hpp"
#include "os/copy_tree.hpp"
#include "os/folder.hpp"

namespace sbx::mcp {
namespace {

using profile::WorkspaceMode;

constexpr const char* kLinks = "links";  // what copies need for files of several names
constexpr const char* kJournal = "journal";
constexpr std::size_t kLongestPath = 4095;  // of Linux (PATH_MAX)
constexpr std::size_t kDeepestPath = 100;

Error cannot(std::string what, int error, std::string hint = {}) {
  return {.kind = ErrorKind::host,
          .what = std::move(what),
          .hint = std::move(hint),
          .sys_errno = error};
}

}  // namespace

Result<Workspace> Workspace::open(const profile::Profile& profile, const std::string& cwd,
                                  const std::map<std::string, std::string>& env,
                                  const std::string& id) {
  const profile::Workspace& wanted = profile.workspace;
  Workspace made;
  made.id_ = id;
  made.profile_ = profile.name;
  made.at_ = wanted.at;
  made.mode_ = wanted.mode;
  made.keep_ = wanted.keep;
  made.size_ = wanted.size;
  for (const std::string& mask : profile.mask) {
    made.masks_.push_back(std::make_unique<PathPattern>(mask));
    made.searches_ = made.searches_ || mask.find("**") != std::string::npos;
  }
  for (const profile::Mount& mount : profile.mounts)
    made.mounts_.push_back(std::visit([](const auto& what) { return what.target; }, mount.what));
  if (wanted.git == profile::GitMode::protect) made.git_.emplace(env);
  if (made.mode_ != WorkspaceMode::none) {
    made.source_ = lexical_path(cwd, wanted.source);
    auto host = os::open_folder_strict(made.source_);
    if (!host)
      return std::unexpected(
          cannot("cannot open the workspace " + quote(made.source_), host.error().value));
    made.host_ = std::move(*host);
    const auto rights = os::rights_in(made.host_.get());
    if (!rights)
      return std::unexpected(
          cannot("cannot look at the workspace " + quote(made.source_), rights.error().value));
    made.rights_ = *rights;
  }
  if (made.mode_ == WorkspaceMode::none || made.mode_ == WorkspaceMode::overlay) {
    SBX_CHECK(made.make_own());
    return made;
  }
  auto tree = os::open_beneath(made.host_.get(), ".", O_RDONLY | O_DIRECTORY);
  if (!tree) return std::unexpected(cannot("cannot open the workspace", tree.error().value));
  made.tree_ = std::move(*tree);
  if (made.writable()) made.session_.emplace(SBX_TRY(SessionFolder::make(id)));
  return made;
}

Result<void> Workspace::make_own() {
  const SessionFolder& session = session_.emplace(SBX_TRY(SessionFolder::make(id_)));
  tree_ = SBX_TRY(session.make_folder(kTree));
  base_ = SBX_TRY(session.make_folder(kBase));
  journal_.emplace(SBX_TRY(session.make_folder(kJournal)));
  return {};
}

Result<void> Workspace::copy_host() const {
  if (!session_) return {};  // lacks_copy() of nothing
  SBX_CHECK(check_host_size());
  SBX_CHECK(copy_host_to_tree(*session_));
  // Not the folder once more: what somebody saves there meanwhile would be a change of ours.
  return copy_tree_to_base(*session_);
}

Result<void> Workspace::copy_host_to_tree(const SessionFolder& session) const {
  const os::UniqueFd links = SBX_TRY(session.make_folder(kLinks));
  if (const auto copied = copy_as_owner(links.get()); !copied) {
    Error error = cannot("cannot copy the workspace " + quote(source_) + " for the session",
                         copied.error().value);
    if (error.sys_errno == ELOOP)
      error.hint =
          "its folders are nested too deep, as the copy itself is where $XDG_STATE_HOME lies in "
          "the workspace: choose another place for one of them";
    return std::unexpected(std::move(error));
  }
  session.remove_folder(kLinks);
  if (masks_.empty()) return {};
  const auto pruned = prune(tree_.get(), [this](const std::string& path) { return masks(path); });
  if (!pruned)
    return std::unexpected(
        cannot("cannot take what `mask` hides out of the session's copy", pruned.error().value));
  return {};
}

/// What a command could not read is not to be in what it gets; and whose it is, it stays.
SysResult<void> Workspace::copy_as_owner(int links) const {
  if (rights_)
    for (const int folder : {tree_.get(), links})
      if (::fchown(folder, rights_->uid, rights_->gid) != 0) return fail();
  os::BorrowedRights theirs(rights_);
  SBX_CHECK(theirs.take());
  return os::copy_tree(host_.get(), tree_.get(), links, os::Closed::is_left_out);
}

Result<void> Workspace::copy_tree_to_base(const SessionFolder& session) const {
  const os::UniqueFd links = SBX_TRY(session.make_folder(kLinks));
  if (const auto copied = os::copy_tree(tree_.get(), base_.get(), links.get()); !copied)
    return std::unexpected(cannot("cannot copy the session's workspace", copied.error().value));
  session.remove_folder(kLinks);
  return {};
}

bool Workspace::masks(std::string_view relative) const {
  const std::string path = at_ + "/" + std::string(relative);
  return std::ranges::any_of(masks_, [&path](const auto& mask) { return covers(*mask, path); });
}

bool Workspace::hides(std::string_view relative) const {
  const std::string path = at_ + "/" + std::string(relative);
  return masks(relative) || std::ranges::any_of(mounts_, [this, &path](const std::string& mount) {
           return is_below(path, mount) && !is_below(at_, mount);
         });
}

Result<void> Workspace::check_git(std::string_view relative) const {
  return git_ ? git_->check(tree_.get(), relative) : Result<void>{};
}

SysResult<void> Workspace::note_write(const std::string& folder, const std::string& name) const {
  if (!session_) return std::unexpected(Errno{EROFS});
  return mcp::note_write(session_->fd(), is_own() ? own_path() : source_, folder, name);
}

void Workspace::forget_write() const {
  if (session_) mcp::forget_write(session_->fd());
}

Result<std::string> Workspace::relative(std::string_view path) const {
  const auto refuse = [&path](const std::string& why) {
    return std::unexpected(Error{.kind = ErrorKind::usage, .what = quote(path) + " " + why});
  };
  if (path.size() > kLongestPath)
    return std::unexpected(Error{.kind = ErrorKind::usage,
                                 .what = "a path can have " + std::to_string(kLongestPath) +
                                         " bytes, and not " + std::to_string(path.size())});
  std::string_view rest = path;
  if (rest == at_) rest = {};
  if (rest.starts_with(at_ + "/")) rest.remove_prefix(at_.size() + 1);
  if (rest.starts_with('/'))
    return refuse("is not in the workspace, which is " + at_ + " inside the sandbox");
  std::string found;
  std::size_t depth = 0;
  for (const std::string_view part : split(rest, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return refuse("has a `..`");
    if (++depth > kDeepestPath)
      return refuse("leads through more than " + std::to_string(kDeepestPath) + " folders");
    if (!found.empty()) found += '/';
    found += part;
  }
  if (hides(found)) return refuse("is hidden by the operator's profile (mask, or mounts)");
  return found;
}

}  // namespace sbx::mcp
