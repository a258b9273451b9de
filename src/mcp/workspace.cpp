#include "mcp/workspace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/lexical_path.hpp"
#include "base/text.hpp"
#include "mcp/prune.hpp"
#include "os/borrowed_rights.hpp"
#include "os/copy_tree.hpp"
#include "os/folder.hpp"

namespace sbx::mcp {
namespace {

using profile::WorkspaceMode;

constexpr const char* kLinks = "links";     // what copies need for files of several names
constexpr std::size_t kLongestPath = 4095;  // of Linux (PATH_MAX)
constexpr std::size_t kDeepestPath = 100;

Error cannot(std::string what, int error, std::string hint = {}) {
  return {.kind = ErrorKind::host,
          .what = std::move(what),
          .hint = std::move(hint),
          .sys_errno = error};
}

/// What a folder or file that is closed to its owner lacks for it to be looked at.
unsigned wanted_mode(const changes::Entry& entry) {
  constexpr unsigned kLook = 0500;
  constexpr unsigned kRead = 0400;
  if (entry.kind == changes::EntryKind::folder) return (entry.mode & kLook) == kLook ? 0 : 0700;
  return entry.kind == changes::EntryKind::file ? ~entry.mode & kRead : 0;
}

/// No later call of an ordinary user's could look into a folder that is closed to its owner, nor
/// remove it, and nobody could say how much it holds; nor could anybody say what a closed file has,
/// and bring it to the host. Returns a warning, or "".
std::string open_closed(changes::ChangeSet& set) {
  std::size_t count = 0;
  std::string first;
  for (changes::Change& change : set.changes) {
    const unsigned more = wanted_mode(change.after);
    if (more == 0) continue;
    change.after.mode |= more;
    if (++count == 1) first = change.path.empty() ? "." : printable(change.path);
  }
  if (count == 0) return {};
  return "what is closed to its owner is open to it in the workspace: " + first +
         (count == 1 ? "" : ", and " + std::to_string(count - 1) + " more");
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
    SBX_CHECK(made.take_copy());
    return made;
  }
  auto tree = os::open_beneath(made.host_.get(), ".", O_RDONLY | O_DIRECTORY);
  if (!tree) return std::unexpected(cannot("cannot open the workspace", tree.error().value));
  made.tree_ = std::move(*tree);
  return made;
}

Result<void> Workspace::take_copy() {
  if (host_.valid()) SBX_CHECK(check_host_size());
  const SessionFolder& session = session_.emplace(SBX_TRY(SessionFolder::make(id_)));
  tree_ = SBX_TRY(session.make_folder(kTree));
  base_ = SBX_TRY(session.make_folder(kBase));
  if (!host_.valid()) return {};
  SBX_CHECK(copy_host(session));
  // Not the folder once more: what somebody saves there meanwhile would be a change of ours.
  return copy_tree_to_base(session);
}

Result<void> Workspace::copy_host(const SessionFolder& session) const {
  const os::UniqueFd links = SBX_TRY(session.make_folder(kLinks));
  if (const auto copied = copy_as_owner(links.get()); !copied)
    return std::unexpected(cannot(
        "cannot copy the workspace " + quote(source_) + " for the session", copied.error().value));
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
      if (::fchown(folder, rights_->uid, rights_->gid) != 0) return std::unexpected(Errno{errno});
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

Result<std::string> Workspace::relative(std::string_view path) const {
  const auto refuse = [&path](const std::string& why) {
    return std::unexpected(Error{.kind = ErrorKind::usage, .what = quote(path) + " " + why});
  };
  if (path.size() > kLongestPath)
    return std::unexpected(Error{.kind = ErrorKind::usage,
                                 .what = "a path can have " + std::to_string(kLongestPath) +
                                         " bytes, and not the " + std::to_string(path.size()) +
                                         " of " + printable(path)});
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

Workspace::Merged Workspace::merge(const std::string& run, bool wanted) {
  Merged merged;
  const auto fail = [&merged](const Error& error) {
    merged.warning = "the changes of this call are lost: " + error.to_line();
    return merged;
  };
  const auto store = changes::Store::open(false);
  if (!store) return fail(store.error());
  auto kept = store->find(run, changes::Store::Use::change);
  if (!kept) return fail(kept.error());
  Result<void> done{};
  if (wanted) {
    const auto bring = [&]() -> Result<changes::Applied> {
      changes::ChangeSet set = SBX_TRY(changes::read_changes(*kept));
      merged.warning = drop_hidden(set);
      if (const std::string opened = open_closed(set); !opened.empty())
        merged.warning += (merged.warning.empty() ? "" : "; ") + opened;
      for (const changes::Change& change : set.changes)
        if (change.after.kind == changes::EntryKind::folder) SBX_CHECK(check_depth(change.path));
      SBX_CHECK(check_room(growth_of(set)));
      const auto all = SBX_TRY(changes::select(set, {}));
      return changes::apply(*kept, set, tree_.get(), all);
    };
    auto applied = bring();
    if (applied) {
      merged.kept = applied->conflicts.empty();
      merged.conflicts = std::move(applied->conflicts);
    } else {
      done = std::unexpected(std::move(applied).error());
    }
  }
  (void)store->remove(*kept);  // else the next server does it, as of a session that has ended
  return done ? merged : fail(done.error());
}

}  // namespace sbx::mcp
