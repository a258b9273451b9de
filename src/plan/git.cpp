// workspace.git: protect. The facts say which places git on the host obeys (os/git_look.hpp); here
// they become mounts that the payload can neither write to, rename nor remove (EBUSY), and, for
// what does not exist and so cannot be mounted over, a watch that ends the run.
#include <algorithm>

#include "base/text.hpp"
#include "plan/builder.hpp"
#include "plan/mount_parts.hpp"
#include "plan/tree.hpp"

namespace sbx::plan {
namespace {

constexpr std::string_view kKey = "workspace.git";
/// Of the sandbox's own: a git folder shown there would stand in for it, or cannot be.
constexpr std::array<std::string_view, 5> kOwn{"/proc", "/dev", "/sys", "/etc", "/.sbx"};

Error git_refusal(const Builder& b, Error error) {
  error.what = "workspace.git: protect: " + error.what;
  error.where = b.origin_of(kKey).to_string();
  return error;
}

/// Where the git folder outside has to appear, so that git inside finds it by what .git says.
Result<std::string> place_of_folder(const Builder& b, const GitFacts& git) {
  const std::string& at = b.profile.workspace.at;
  const std::string leads_to = lexical_path(at, git.link);
  std::string place = leads_to.substr(0, leads_to.size() - git.below.size());
  const bool own =
      std::ranges::any_of(kOwn, [&](std::string_view folder) { return is_below(place, folder); });
  if (leads_to.ends_with(git.below) && !place.empty() && !own && !is_below(place, at) &&
      !is_below(at, place))
    return place;
  return std::unexpected(
      git_refusal(b, {.kind = ErrorKind::profile,
                      .what = "the git folder " + quote(git.folder) + " would have to appear at " +
                              quote(leads_to) + ", which is taken",
                      .hint = "give the workspace another place: workspace.at"}));
}

/// A place of the host as the payload sees it.
std::string place_inside(const Builder& b, const GitFacts& git, const std::string& path) {
  if (is_below(path, b.git_top))
    return lexical_path("/", b.profile.workspace.at) + path.substr(b.git_top.size());
  return b.git_folder + path.substr(git.folder.size());
}

/// Not what is in it.
bool is_only_held(const GitPlace& place) {
  return place.keep == GitKeep::held || place.keep == GitKeep::closed;
}

/// Elsewhere on the host, too, git obeys `path`: no mount may let the payload write there.
Result<void> check_elsewhere(const Builder& b, const std::string& path) {
  for (std::size_t i = 0; i < b.profile.mounts.size(); ++i) {
    const auto* const bind = std::get_if<profile::BindMount>(&b.profile.mounts[i].what);
    const SourceFacts* const source = bind == nullptr ? nullptr : facts_of(b, *bind);
    if (source == nullptr || !bind->writable ||
        (!is_below(path, source->path) && !is_below(source->path, path)))
      continue;
    return std::unexpected(git_refusal(
        b, {.kind = ErrorKind::profile,
            .what = "git on the host obeys " + quote(path) +
                    ", and mounts lets the command write there, at " + quote(bind->target) + " (" +
                    b.written_at("mounts[" + std::to_string(i) + "]") + ")",
            .hint = "take that mount out, or make it read-only"}));
  }
  return {};
}

/// The same files, writable elsewhere or covered by something else, would not be kept.
Result<void> check_mounts(const Builder& b, const GitPlace& place, const std::string& inside) {
  for (std::size_t i = 0; i < b.profile.mounts.size(); ++i) {
    const profile::Mount& mount = b.profile.mounts[i];
    const auto* const bind = std::get_if<profile::BindMount>(&mount.what);
    const SourceFacts* const source = bind == nullptr ? nullptr : facts_of(b, *bind);
    const bool shown = source != nullptr && bind->writable &&
                       (is_below(place.path, source->path) ||
                        (!is_only_held(place) && is_below(source->path, place.path)));
    const std::string& target =
        std::visit([](const auto& what) -> const std::string& { return what.target; }, mount.what);
    const bool covers =
        is_below(inside, target) || (!is_only_held(place) && is_below(target, inside));
    if (!shown && !covers) continue;
    return std::unexpected(git_refusal(
        b, {.kind = ErrorKind::profile,
            .what = quote(place.path) + " cannot be kept: " +
                    (shown ? "mounts shows it writable at " : "mounts puts something at ") +
                    quote(target) + " (" + b.written_at("mounts[" + std::to_string(i) + "]") + ")",
            .hint = "take that mount out, or make it read-only"}));
  }
  return {};
}

}  // namespace

Result<void> show_git(Builder& b, Tree& tree, const SourceFacts& workspace) {
  const profile::WorkspaceMode mode = b.profile.workspace.mode;
  const bool writes = mode == profile::WorkspaceMode::rw || mode == profile::WorkspaceMode::overlay;
  if (!writes || b.profile.workspace.git == profile::GitMode::none) return {};
  if (!b.facts.git)
    return std::unexpected(git_refusal(
        b, {.kind = ErrorKind::internal, .what = "nobody has looked at " + quote(workspace.path)}));
  const GitFacts& git = *b.facts.git;
  if (git.refused) return std::unexpected(git_refusal(b, *git.refused));
  b.git_top = workspace.path;
  if (git.folder.empty()) return {};
  b.git_folder = SBX_TRY(place_of_folder(b, git));
  SourceFacts source;
  source.path = git.folder;
  source.uid = git.uid;
  source.gid = git.gid;
  constexpr std::string_view kReason = "the git folder that the workspace's .git leads to";
  if (mode == profile::WorkspaceMode::overlay)
    SBX_CHECK(add_overlay(b, tree, source, "/.sbx/git", b.git_folder, false, kReason));
  else
    SBX_CHECK(add_bind(b, tree, source, b.git_folder, MountFlags{.read_only = false}, true, kReason,
                       kKey));
  // The git folder says where its work tree is; inside, that is the workspace. Of a worktree git
  // would otherwise think that it is gone, and prune its entry.
  const std::string& at = b.profile.workspace.at;
  const std::string work_tree =
      git.work_tree.empty() ? workspace.path : lexical_path(b.git_folder, git.work_tree);
  if (work_tree == at) return {};
  return tree.make_symlink(work_tree, at, "where the git folder says that its work tree is");
}

Result<void> protect_git(Builder& b, Tree& tree) {
  if (b.git_top.empty() || !b.facts.git) return {};
  const GitFacts& git = *b.facts.git;
  const bool reaches_host = b.profile.workspace.mode == profile::WorkspaceMode::rw;
  for (const std::string& path : git.elsewhere) SBX_CHECK(check_elsewhere(b, path));
  for (const GitPlace& place : git.places) {
    const std::string inside = place_inside(b, git, place.path);
    SBX_CHECK(check_mounts(b, place, inside));
    if (is_only_held(place)) tree.hold(inside, false, kHeldReason, kKey);
    if (place.keep == GitKeep::locked) {
      b.add(Phase::init, ProtectPath{inside, false, false}, "git on the host obeys it", kKey);
      tree.cover_foreign(inside);
    }
    // The host, or what is not there yet: no mount of ours holds those.
    const std::size_t slash = place.path.rfind('/');
    if (reaches_host && place.watched)
      b.plan.supervision.watched.push_back({place.path.substr(0, slash),
                                            place.path.substr(slash + 1),
                                            place.keep == GitKeep::absent});
  }
  if (reaches_host) b.plan.supervision.without_links = git.repositories;
  b.plan.isolation.required.emplace_back("git");
  b.plan.isolation.enforced.emplace_back("git");
  return {};
}

void seal_git(Builder& b) {
  if (b.git_top.empty() || !b.facts.git) return;
  for (const GitPlace& place : b.facts.git->places)
    if (place.keep == GitKeep::closed)
      b.add(Phase::init, SealMount{place_inside(b, *b.facts.git, place.path), false, MountFlags{}},
            "git on the host would take a new submodule from it as it is", kKey);
}

}  // namespace sbx::plan
