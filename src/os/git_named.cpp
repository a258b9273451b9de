// Files that a configuration names (include.path, core.hooksPath), or that links in hooks lead to:
// where they lie in what the payload may write to, they are kept as well.
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <string_view>

#include "base/git_config.hpp"
#include "base/lexical_path.hpp"
#include "base/text.hpp"
#include "os/git_look.hpp"
#include "os/probe_source.hpp"
#include "os/tools_path.hpp"

namespace sbx::os {
namespace {

constexpr std::size_t kMaxFiles = 100;
constexpr std::string_view kOptional = ":(optional)";  // since git 2.52

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// Where `path` leads, also where that is missing: links are followed for as long as there are any.
std::string far_end(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the kernel's own MAXSYMLINKS
  std::string at;
  std::string rest = path;
  for (int links = 0; !rest.empty();) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string name = rest.substr(0, slash);
    rest.erase(0, slash + 1);
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      at.resize(at.empty() ? 0 : at.rfind('/'));
      continue;
    }
    const std::string next = join_path(at, name);
    char text[PATH_MAX];
    const ssize_t length = ::readlink(next.c_str(), text, sizeof text);
    if (length <= 0 || length == sizeof text) {
      at = next;
      continue;
    }
    if (++links > kMostLinks) return path;
    const std::string target(text, static_cast<std::size_t>(length));
    if (target.starts_with('/')) at.clear();
    rest = join_path(target, rest);
  }
  return at.empty() ? "/" : at;
}

}  // namespace

/// Of the worktrees, and the caller's own and the system's: mostly elsewhere, but they may include
/// what is the payload's.
Result<void> GitLook::add_other_configurations() {
  for (const GitPlace& place : places_.list())
    if (place.keep == GitKeep::locked && place.path.ends_with("/config.worktree"))
      configurations_.push_back(place.path);
  SBX_CHECK(add_own_configuration("/etc/gitconfig"));
  if (!config_home_.empty()) SBX_CHECK(add_own_configuration(config_home_ + "/git/config"));
  if (!home_.empty()) SBX_CHECK(add_own_configuration(home_ + "/.gitconfig"));
  for (const std::string& path : own_configurations_) SBX_CHECK(add_own_configuration(path));
  return {};
}

Result<void> GitLook::add_own_configuration(const std::string& path) {
  const std::string lexical = lexical_path("/", path);
  if (SBX_TRY(git_entry(lexical)).kind == GitKind::missing && places_.covers(lexical))
    return forbid_missing(lexical);
  return lock_named(lexical, "the caller, or the system", true);
}

/// Of the folders on its way that are missing, too, the first must not be made.
Result<void> GitLook::forbid_missing(std::string path) {
  while (places_.covers(folder_of(path)) &&
         SBX_TRY(git_entry(folder_of(path))).kind == GitKind::missing)
    path = folder_of(path);
  places_.forbid(path);
  return {};
}

Result<void> GitLook::read_configurations() {
  while (!configurations_.empty()) {
    const std::string path = configurations_.front();
    configurations_.pop_front();
    if (!read_.insert(path).second) continue;
    if (read_.size() > kMaxFiles)
      return std::unexpected(git_error(path, "too many files include each other"));
    SBX_CHECK(read_configuration(path));
  }
  return {};
}

Result<void> GitLook::read_configuration(const std::string& path) {
  const std::string text = SBX_TRY(places_.covers(path) ? git_text(path) : git_outer_text(path));
  const std::vector<GitSetting> settings = parse_git_config(text);
  // Of a submodule: elsewhere than this work tree.
  std::string work_tree = top_;
  for (const GitSetting& setting : settings)
    if (setting.key == "core.worktree") work_tree = lexical_path(folder_of(path), setting.value);
  for (const GitSetting& setting : settings) {
    const bool include = setting.key == "include.path" || setting.key == "includeif.path";
    if (!include && setting.key != "core.hookspath") continue;
    // A relative one is seen from the file that includes it; hooks from where git runs them, the
    // top of the work tree.
    const std::string from = include ? folder_of(path) : work_tree;
    std::vector<std::string> values{setting.value};
    if (setting.value.starts_with(kOptional))
      values.push_back(setting.value.substr(kOptional.size()));
    for (const std::string& value : values) {
      if (value.empty()) continue;
      const std::string named = SBX_TRY(expanded(from, value, path));
      SBX_CHECK(lock_named(named, path, include));
    }
  }
  return {};
}

/// As git-config(1) has it under "pathname".
Result<std::string> GitLook::expanded(const std::string& from, const std::string& value,
                                      const std::string& who) const {
  if (!value.starts_with('~')) return lexical_path(from, value);
  if (value.size() > 1 && value[1] != '/')
    return std::unexpected(git_error(who, "it names " + printable(value) + ", the home of a user",
                                     "write the folder out, or go without: --git none"));
  return lexical_path(from, home_ + value.substr(1));
}

Result<void> GitLook::lock_target(const std::string& folder, const std::string& link) {
  char text[PATH_MAX];
  const ssize_t length = ::readlink(link.c_str(), text, sizeof text);
  if (length <= 0 || length == sizeof text)
    return std::unexpected(git_error(link, "this link cannot be read"));
  const std::string_view target(text, static_cast<std::size_t>(length));
  return lock_named(lexical_path(folder, target), link, false);
}

Result<void> GitLook::lock_targets(const std::string& folder) {
  constexpr std::size_t kMostHooks = 1000;
  const auto names = SBX_TRY(git_names(folder));
  if (names.size() > kMostHooks)
    return std::unexpected(git_error(folder, "it holds more than hooks (core.hooksPath)"));
  for (const std::string& name : names) {
    const std::string path = join_path(folder, name);
    if (SBX_TRY(git_entry(path)).kind == GitKind::link) SBX_CHECK(lock_target(folder, path));
  }
  return {};
}

Result<void> GitLook::lock_named(const std::string& lexical, const std::string& who,
                                 bool configuration) {
  const SourceFacts real = look_at_source({lexical, "/"});
  const std::string end = real.exists ? real.path : far_end(lexical);
  const bool inside = places_.covers(lexical);
  const bool leads_inside = places_.covers(end);
  const auto refuse = [&](std::string_view why) {
    return std::unexpected(git_error(lexical,
                                     std::string(why) + " (named by " + printable(who) + ")",
                                     "take it out of there, or go without: --git none"));
  };
  if (places_.is_root(end)) return refuse("whatever the command makes in it could be a hook");
  // Links may lead in a circle.
  const bool folder = real.exists && real.type == EntryType::directory;
  if (folder && !looked_.insert(real.path).second) return {};
  if (!inside && !leads_inside) {
    // Not the payload's, if no mount of the profile's shows it; but what it includes may be, or
    // what links in it lead to.
    facts_.elsewhere.push_back(end);
    if (configuration && real.exists) configurations_.push_back(real.path);
    if (!configuration && folder) return lock_targets(real.path);
    return {};
  }
  if (!real.exists) {
    if (!real.problem.empty()) return refuse(real.problem);
    if (!inside) return forbid_missing(end);
    // Its folder has to be there, or the payload could make that one as well.
    if (SBX_TRY(git_entry(folder_of(lexical))).kind != GitKind::folder)
      return refuse("it does not exist, and git would read it");
    places_.forbid(lexical);
    return {};
  }
  // A link of the payload's own could be turned elsewhere.
  if (inside && lexical != real.path) return refuse("a symbolic link in the workspace leads to it");
  if (folder) {
    SBX_CHECK(want_folder(real.path));
    return lock_folder(real.path, 0);
  }
  SBX_CHECK(lock_file(real.path));
  if (configuration) configurations_.push_back(real.path);
  return {};
}

}  // namespace sbx::os
