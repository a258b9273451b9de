#include "os/git_look.hpp"

#include <utility>

#include "base/git_config.hpp"
#include "base/lexical_path.hpp"
#include "base/text.hpp"

namespace sbx::os {
namespace {

constexpr std::string_view kMade = "/worktrees/";

std::string config_home(const HostFacts& host) {
  const auto named = host.env.find("XDG_CONFIG_HOME");
  if (named != host.env.end() && named->second.starts_with('/')) return named->second;
  return host.home.empty() ? "" : host.home + "/.config";
}

/// What the caller has git read instead of his own and the system's (git(1)).
std::vector<std::string> own_configurations(const HostFacts& host) {
  std::vector<std::string> paths;
  for (const char* name : {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"})
    if (const auto named = host.env.find(name); named != host.env.end() && !named->second.empty())
      paths.push_back(lexical_path(host.cwd, named->second));
  return paths;
}

}  // namespace

GitLook::GitLook(const SourceFacts& workspace, const HostFacts& host)
    : top_(workspace.path),
      home_(host.home),
      config_home_(config_home(host)),
      own_configurations_(own_configurations(host)),
      owner_(host.euid == 0 ? workspace.uid : host.euid) {
  places_.add_root(top_);
}

Result<void> GitLook::look() {
  const std::string dot_git = top_ + "/.git";
  const GitEntry entry = SBX_TRY(git_entry(dot_git));
  switch (entry.kind) {
    case GitKind::folder:
      own_ = dot_git;
      SBX_CHECK(add_repository(dot_git));
      SBX_CHECK(forbid_bare_top());
      break;
    case GitKind::file:
      SBX_CHECK(follow_link(dot_git));
      break;
    case GitKind::missing:
      return std::unexpected(
          git_error(dot_git, "it does not exist: the workspace is not the top of a git work tree",
                    "name the top with --workspace, run `git init` first, or go without: --git "
                    "none"));
    case GitKind::link:
    case GitKind::other:
      return std::unexpected(git_error(dot_git,
                                       "it is neither a folder nor a file: nobody can tell what "
                                       "git would use",
                                       "put the git folder itself there, or go without: --git "
                                       "none"));
  }
  SBX_CHECK(add_other_configurations());
  return read_configurations();
}

/// Where .git is damaged, git takes the top itself for a bare repository once HEAD, refs and
/// objects are there (setup.c, is_git_directory()), with the configuration beside them. One that is
/// not there keeps it from that; the last two may also be in what commondir names.
Result<void> GitLook::forbid_bare_top() {
  const auto forbidden = [&](const char* name) -> Result<bool> {
    const bool missing = SBX_TRY(git_entry(top_ + "/" + name)).kind == GitKind::missing;
    if (missing) places_.forbid(top_ + "/" + name);
    return missing;
  };
  if (SBX_TRY(forbidden("HEAD"))) return {};
  if (SBX_TRY(forbidden("commondir")) &&
      (SBX_TRY(forbidden("refs")) || SBX_TRY(forbidden("objects"))))
    return {};
  return std::unexpected(git_error(top_,
                                   "HEAD stands in it, and refs and objects, or commondir: should "
                                   ".git be damaged, git would take it for a bare repository",
                                   "move one of them, or go without: --git none"));
}

Result<GitLook::Link> GitLook::read_link(const std::string& path, std::string_view prefix,
                                         const std::string& folder) {
  std::string text = SBX_TRY(git_text(path));
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  if (!text.starts_with(prefix) || text.size() == prefix.size() || text.size() > 4096 ||
      text.find_first_of(std::string_view("\0\n", 2)) != std::string::npos)
    return std::unexpected(git_error(path, "it is not what git writes there"));
  text.erase(0, prefix.size());
  // By the file system and by the text it has to be the same place: inside, where most of the
  // host's tree is missing, git has only the text.
  const std::string raw = text.starts_with('/') ? text : folder + '/' + text;
  if (SBX_TRY(git_entry(raw)).kind == GitKind::link)
    return std::unexpected(git_error(path, "it leads through a symbolic link: " + printable(text)));
  std::string target = lexical_path(folder, text);
  return Link{std::move(text), std::move(target)};
}

Result<void> GitLook::follow_link(const std::string& dot_git) {
  SBX_CHECK(lock_file(dot_git));
  const Link link = SBX_TRY(read_link(dot_git, "gitdir: ", top_));
  own_ = link.target;
  facts_.link = link.text;
  const GitEntry entry = SBX_TRY(git_entry(own_));
  if (entry.kind != GitKind::folder)
    return std::unexpected(
        git_error(dot_git, "it leads to " + printable(own_) + ", which is not a git folder"));
  SBX_CHECK(check_owner(own_, entry));
  if (is_below(own_, top_) && link.text.starts_with('/'))
    return std::unexpected(git_error(
        dot_git, "it leads into the workspace by an absolute path, which is another inside",
        "write it as git does for a relative one: gitdir: ." + own_.substr(top_.size())));
  const bool worktree = SBX_TRY(git_entry(own_ + "/commondir")).kind != GitKind::missing;
  return worktree ? enter_worktree(own_, dot_git) : enter_module(own_);
}

Result<void> GitLook::enter_worktree(const std::string& folder, const std::string& dot_git) {
  const std::string commondir = folder + "/commondir";
  const Link common = SBX_TRY(read_link(commondir, "", folder));
  // Not what it says, but where it is: an entry of the repository that it leads to.
  if (folder.substr(0, folder.rfind('/') + 1) != common.target + std::string(kMade))
    return std::unexpected(git_error(commondir, "it leads to " + printable(common.target) +
                                                    ", which this is not a worktree of"));
  if (common.text.starts_with('/') && !facts_.link.starts_with('/'))
    return std::unexpected(git_error(
        commondir, "it is absolute, and " + printable(dot_git) + " relative: inside they part"));
  const Link back = SBX_TRY(read_link(folder + "/gitdir", "", folder));
  if (back.target != dot_git)
    return std::unexpected(git_error(
        folder + "/gitdir",
        "it names " + printable(back.target) + " as its work tree, not " + printable(dot_git),
        "when the work tree was moved: git worktree repair"));
  if (SBX_TRY(git_entry(folder + "/HEAD")).kind != GitKind::file)
    return std::unexpected(git_error(folder + "/HEAD", "it is missing: no worktree's folder"));
  SBX_CHECK(check_repository(common.target));
  SBX_CHECK(show(common.target, folder));
  return add_repository(common.target);
}

Result<void> GitLook::enter_module(const std::string& folder) {
  SBX_CHECK(check_repository(folder));
  const std::string config = folder + "/config";
  for (const GitSetting& setting : parse_git_config(SBX_TRY(git_text(config))))
    if (setting.key == "core.worktree") facts_.work_tree = setting.value;
  // In the workspace it is the payload's as it is; elsewhere it has to say that it belongs here.
  if (!is_below(folder, top_) &&
      (facts_.work_tree.empty() || lexical_path(folder, facts_.work_tree) != top_))
    return std::unexpected(
        git_error(config,
                  facts_.work_tree.empty()
                      ? "it does not say whose git folder this is (core.worktree)"
                      : "core.worktree is " + printable(lexical_path(folder, facts_.work_tree)) +
                            ", not this workspace",
                  "if it is the right one: git config core.worktree " + quote(top_)));
  SBX_CHECK(show(folder, folder));
  return add_repository(folder);
}

Result<void> GitLook::show(const std::string& folder, const std::string& leads_to) {
  if (is_below(folder, top_)) return {};
  if (is_below(top_, folder)) return std::unexpected(git_error(folder, "the workspace lies in it"));
  const GitEntry entry = SBX_TRY(git_entry(folder));
  facts_.folder = folder;
  facts_.uid = entry.uid;
  facts_.gid = entry.gid;
  facts_.below = leads_to.substr(folder.size());
  places_.add_root(folder);
  return {};
}

GitFacts GitLook::facts() {
  facts_.places = places_.list();
  return std::move(facts_);
}

GitFacts look_at_git(const SourceFacts& workspace, const HostFacts& host) {
  GitLook look(workspace, host);
  if (auto looked = look.look(); !looked) return {.refused = std::move(looked.error())};
  return look.facts();
}

}  // namespace sbx::os
