// What is in a git folder (gitrepository-layout(5)), and which of it git obeys. Not kept: what the
// work tree may say as well (info/attributes and info/exclude are .gitattributes and .gitignore),
// and what only holds content (objects, refs, logs, index).
#include "base/git_config.hpp"
#include "base/lexical_path.hpp"
#include "base/text.hpp"
#include "os/git_links.hpp"
#include "os/git_look.hpp"

namespace sbx::os {
namespace {

constexpr int kMaxDepth = 16;             // of folders in hooks, and of names of submodules
constexpr std::size_t kMaxPlaces = 5000;  // each is a mount, and time at the start

std::string in(const std::string& folder, std::string_view name) {
  return folder + '/' + std::string(name);
}

}  // namespace

Result<void> GitLook::check_owner(const std::string& folder, const GitEntry& entry) {
  if (entry.uid == owner_) return {};
  return std::unexpected(git_error(folder, "it belongs to user " + std::to_string(entry.uid) +
                                               ", not to " + std::to_string(owner_) +
                                               ", whose workspace this is"));
}

/// The signs by which git itself knows one (setup.c, is_git_directory()).
Result<void> GitLook::check_repository(const std::string& folder) {
  const GitEntry own = SBX_TRY(git_entry(folder));
  const bool whole = own.kind == GitKind::folder &&
                     SBX_TRY(git_entry(in(folder, "HEAD"))).kind == GitKind::file &&
                     SBX_TRY(git_entry(in(folder, "objects"))).kind == GitKind::folder &&
                     SBX_TRY(git_entry(in(folder, "refs"))).kind == GitKind::folder;
  if (!whole)
    return std::unexpected(
        git_error(folder, "it is not a git folder: HEAD, objects or refs is missing, or a link"));
  return check_owner(folder, own);
}

Result<void> GitLook::add_repository(const std::string& folder) {
  SBX_CHECK(check_repository(folder));
  facts_.repositories.push_back(folder);
  places_.hold(folder);
  SBX_CHECK(lock_file(in(folder, "config")));
  configurations_.push_back(in(folder, "config"));
  SBX_CHECK(lock_or_forbid(in(folder, "config.worktree")));
  SBX_CHECK(want_folder(in(folder, "hooks")));
  SBX_CHECK(lock_folder(in(folder, "hooks"), 0));
  // Old ways to name a remote, which git still reads and no longer writes.
  for (const char* old : {"branches", "remotes"}) {
    if (SBX_TRY(git_entry(in(folder, old))).kind == GitKind::missing) {
      places_.forbid(in(folder, old));
      continue;
    }
    SBX_CHECK(want_folder(in(folder, old)));
    // A payload may have put it there, and more into it than could be removed when its run ended.
    if (!SBX_TRY(git_names(in(folder, old))).empty())
      return std::unexpected(git_error(in(folder, old),
                                       "it is not empty: git would read from there whom it fetches "
                                       "from, and has not written there since 2005",
                                       "look at it, and remove it, or go without: --git none"));
    SBX_CHECK(lock_folder(in(folder, old), 0));
  }
  // It makes another folder's configuration and hooks the ones that count.
  const std::string commondir = in(folder, "commondir");
  if (SBX_TRY(git_entry(commondir)).kind != GitKind::missing)
    return std::unexpected(git_error(commondir,
                                     "it makes git use another folder's configuration and hooks, "
                                     "and git itself never puts it there",
                                     "look at what it says, and remove it"));
  places_.forbid(commondir);
  const std::string info = in(folder, "objects/info");
  SBX_CHECK(want_folder(info));
  places_.hold(info);
  SBX_CHECK(lock_or_forbid(in(info, "alternates")));
  SBX_CHECK(add_modules(in(folder, "modules"), 0));
  SBX_CHECK(add_worktrees(in(folder, "worktrees")));
  return check_links(folder);
}

/// Those that are there before cannot be told from the payload's when it has ended.
Result<void> GitLook::check_links(const std::string& folder) {
  const GitLinks links = find_git_links(folder, false);
  if (!links.whole)
    return std::unexpected(
        git_error(folder, "it holds more than can be looked through, or what cannot be read"));
  if (links.paths.empty()) return {};
  return std::unexpected(git_error(in(folder, links.paths.front()),
                                   "a symbolic link stands there, through which git would write",
                                   "remove it, or go without: --git none"));
}

Result<void> GitLook::add_worktrees(const std::string& folder) {
  const GitEntry all = SBX_TRY(git_entry(folder));
  if (all.kind == GitKind::missing) return {};
  SBX_CHECK(want_folder(folder));
  places_.hold(folder);
  for (const std::string& name : SBX_TRY(git_names(folder)))
    if (SBX_TRY(git_entry(in(folder, name))).kind == GitKind::folder)
      SBX_CHECK(add_worktree(in(folder, name)));
  return {};
}

Result<void> GitLook::add_worktree(const std::string& folder) {
  places_.hold(folder);
  for (const char* link : {"gitdir", "commondir"}) {
    const GitKind kind = SBX_TRY(git_entry(in(folder, link))).kind;
    if (kind != GitKind::missing) SBX_CHECK(lock_file(in(folder, link)));
  }
  SBX_CHECK(lock_or_forbid(in(folder, "config.worktree")));
  if (folder != own_) {
    // Inside, the work trees of the others are missing, and `git gc` prunes what looks forsaken: it
    // must not take what only that worktree has. On the host git replaces these all the time.
    for (const char* file : {"HEAD", "index"})
      if (SBX_TRY(git_entry(in(folder, file))).kind == GitKind::file)
        places_.lock(in(folder, file), false);
  }
  return add_modules(in(folder, "modules"), 0);
}

/// Submodules' git folders; a name may have slashes in it.
Result<void> GitLook::add_modules(const std::string& folder, int depth) {
  const GitEntry all = SBX_TRY(git_entry(folder));
  if (all.kind == GitKind::missing) {
    // Of a submodule that is not there yet, git would take what it finds, hooks and all.
    places_.forbid(folder);
    return {};
  }
  SBX_CHECK(want_folder(folder));
  if (depth > kMaxDepth || places_.size() > kMaxPlaces)
    return std::unexpected(git_error(folder, "there are too many submodules, or one too deep"));
  places_.close(folder);  // another one that git itself has not made is no better
  for (const std::string& name : SBX_TRY(git_names(folder))) {
    const std::string path = in(folder, name);
    const GitKind kind = SBX_TRY(git_entry(path)).kind;
    if (kind == GitKind::link) return want_folder(path);
    if (kind != GitKind::folder) continue;
    // A payload may have taken some of it away, to have none of it kept: then it is refused.
    const bool repository = SBX_TRY(git_entry(in(path, "HEAD"))).kind != GitKind::missing ||
                            SBX_TRY(git_entry(in(path, "config"))).kind == GitKind::file ||
                            (SBX_TRY(git_entry(in(path, "objects"))).kind == GitKind::folder &&
                             SBX_TRY(git_entry(in(path, "hooks"))).kind == GitKind::folder);
    SBX_CHECK(repository ? add_module(path) : add_modules(path, depth + 1));
  }
  return {};
}

/// With the .git of its work tree, if that is in this one: git on the host goes where it leads, at
/// each `git status`.
Result<void> GitLook::add_module(const std::string& folder) {
  SBX_CHECK(add_repository(folder));
  std::string work_tree;
  for (const GitSetting& setting : parse_git_config(SBX_TRY(git_text(in(folder, "config")))))
    if (setting.key == "core.worktree") work_tree = lexical_path(folder, setting.value);
  const std::string dot_git = in(work_tree, ".git");
  if (work_tree.empty() || !places_.covers(dot_git)) return {};
  switch (SBX_TRY(git_entry(dot_git)).kind) {
    case GitKind::missing:
      if (SBX_TRY(git_entry(work_tree)).kind == GitKind::folder) places_.forbid(dot_git);
      return {};
    case GitKind::folder:
      return add_repository(dot_git);
    case GitKind::file:
    case GitKind::link:
    case GitKind::other:
      break;
  }
  SBX_CHECK(lock_file(dot_git));
  const Link link = SBX_TRY(read_link(dot_git, "gitdir: ", work_tree));
  if (link.target == folder) return {};
  return std::unexpected(git_error(dot_git,
                                   "it leads to " + printable(link.target) + ", and not to " +
                                       printable(folder) +
                                       ", which says that this is its work tree",
                                   "look at what is there, and make one of them right, or go "
                                   "without: --git none"));
}

Result<void> GitLook::want_folder(const std::string& path) {
  switch (SBX_TRY(git_entry(path)).kind) {
    case GitKind::folder:
      return {};
    case GitKind::missing:
      return std::unexpected(
          git_error(path, "it does not exist, and what is not there cannot be kept from being made",
                    "make it: mkdir -p " + quote(path)));
    case GitKind::link:
    case GitKind::file:
    case GitKind::other:
      return std::unexpected(git_error(path, "it is not a folder, or a symbolic link leads to it",
                                       "put the folder itself there, or go without: --git none"));
  }
  return {};
}

Result<void> GitLook::lock_file(const std::string& path) {
  const GitEntry entry = SBX_TRY(git_entry(path));
  if (entry.kind != GitKind::file)
    return std::unexpected(git_error(path,
                                     entry.kind == GitKind::missing
                                         ? "it does not exist"
                                         : "it is not a file, or a symbolic link leads to it",
                                     "put the file itself there, or go without: --git none"));
  // By another name, in the workspace perhaps, it could still be written to.
  if (entry.linked)
    return std::unexpected(git_error(
        path, "the same file has another name as well (a hard link)",
        "make it a file of its own: cp " + quote(path) + " FILE, then mv FILE " + quote(path)));
  places_.lock(path);
  return {};
}

Result<void> GitLook::lock_or_forbid(const std::string& path) {
  if (SBX_TRY(git_entry(path)).kind != GitKind::missing) return lock_file(path);
  places_.forbid(path);
  return {};
}

/// With what is in it, and what links in it lead to.
Result<void> GitLook::lock_folder(const std::string& path, int depth) {
  if (depth > kMaxDepth) return std::unexpected(git_error(path, "it is nested too deep"));
  if (depth == 0) places_.lock(path);
  for (const std::string& name : SBX_TRY(git_names(path))) {
    const std::string entry_path = in(path, name);
    const GitEntry entry = SBX_TRY(git_entry(entry_path));
    if (entry.kind == GitKind::folder) SBX_CHECK(lock_folder(entry_path, depth + 1));
    if (entry.kind == GitKind::link) SBX_CHECK(lock_target(path, entry_path));
    if (entry.linked)
      return std::unexpected(git_error(entry_path,
                                       "the same file has another name as well (a hard link)",
                                       "make it a file of its own, or remove one of the two"));
  }
  return {};
}

}  // namespace sbx::os
