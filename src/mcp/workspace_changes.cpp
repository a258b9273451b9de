// What a session has changed: found by comparing its two copies, put into the operator's folder by
// the same three-way check that `sbx apply` makes.
#include <chrono>
#include <limits>
#include <utility>

#include "changes/harvest.hpp"
#include "changes/store.hpp"
#include "changes/view_words.hpp"
#include "mcp/workspace.hpp"
#include "supervise/json_figures.hpp"

namespace sbx::mcp {
namespace {

/// Which of all `paths` name. Nothing of a session that goes on is there for `sbx diff`.
Result<std::vector<std::size_t>> selected(const changes::ChangeSet& set,
                                          std::span<const std::string> paths) {
  auto found = changes::select(set, paths);
  if (!found) found.error().hint = "all changes of the session: `diff` without `paths`";
  return found;
}

Result<std::vector<changes::Change>> chosen(changes::ChangeSet& set,
                                            std::span<const std::string> paths) {
  std::vector<changes::Change> out;
  for (const std::size_t i : SBX_TRY(selected(set, paths)))
    out.push_back(std::move(set.changes[i]));
  return out;
}

}  // namespace

// A command can make what was taken out of its copy, a folder .git, say: it is not to get to the
// operator's by that name.
std::string Workspace::drop_hidden(changes::ChangeSet& set) const {
  constexpr std::size_t kMostNamed = 5;
  std::string named;
  std::size_t masked = 0;
  for (const changes::Change& change : set.changes)
    if (masks(change.path) && ++masked <= kMostNamed)
      named += (masked == 1 ? "" : ", ") + changes::shown_path(change.path);
  std::erase_if(set.changes, [this](const changes::Change& change) { return hides(change.path); });
  std::erase_if(set.omitted, [this](const changes::Omission& one) { return hides(one.path); });
  if (masked == 0) return {};
  if (masked > kMostNamed) named += ", and " + std::to_string(masked - kMostNamed) + " more";
  return "what the operator's profile hides (mask) is not in the workspace, whoever makes it: " +
         named;
}

Result<changes::ChangeSet> Workspace::harvest(const changes::Staging& staging) const {
  changes::ChangeSet set;
  set.run = id_;
  set.profile = profile_;
  set.workspace = source_;
  set.argv = {"sbx", "mcp"};
  set.ended_at = supervise::timestamp(std::chrono::system_clock::now());
  // Nobody but us changes what they are compared with, so there is no time after which it counts.
  const changes::Layers layers{.upper = tree_.get(),
                               .lower = base_.get(),
                               .began_ns = std::numeric_limits<std::int64_t>::max(),
                               .whole = true,
                               .stays = true};
  if (const auto read = changes::harvest(layers, staging, set); !read)
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "cannot compare the session's workspace",
                                 .sys_errno = read.error().value});
  (void)drop_hidden(set);
  return set;
}

Result<Workspace::Difference> Workspace::difference(std::span<const std::string> paths) const {
  auto store = SBX_TRY(changes::Store::open(true));
  const auto staging = SBX_TRY(store.stage(id_));  // goes at the end of this
  Difference found{SBX_TRY(harvest(staging)), base_.get(), tree_.get()};
  found.set.changes = SBX_TRY(chosen(found.set, paths));
  return found;
}

Result<changes::Applied> Workspace::apply_kept(const changes::KeptRun& kept,
                                               const changes::ChangeSet& set,
                                               std::span<const std::string> paths) {
  const auto wanted = SBX_TRY(selected(set, paths));
  changes::Applied applied = SBX_TRY(changes::apply(kept, set, host_.get(), wanted));
  if (!applied.conflicts.empty()) return applied;
  // From now on this is how the folder was: only what comes later is a change of the session's.
  SBX_CHECK(changes::apply(kept, set, base_.get(), wanted));
  return applied;
}

Result<Workspace::Brought> Workspace::apply(std::span<const std::string> paths) {
  auto store = SBX_TRY(changes::Store::open(true));
  Brought brought;
  {
    auto staging = SBX_TRY(store.stage(id_));
    changes::ChangeSet set = SBX_TRY(harvest(staging));
    SBX_CHECK(selected(set, paths));
    if (const auto named = staging.commit(set); !named)
      return std::unexpected(Error{.kind = ErrorKind::host,
                                   .what = "cannot keep the session's changes",
                                   .sys_errno = named.error().value});
    brought.omitted = std::move(set.omitted);
  }
  const auto kept = SBX_TRY(store.find(id_, changes::Store::Use::change));
  auto applied = apply_kept(kept, SBX_TRY(changes::read_changes(kept)), paths);
  if (const auto removed = store.remove(kept); !removed && applied)
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "the changes are applied, and still kept as " + id_,
                                 .sys_errno = removed.error().value});
  brought.applied = SBX_TRY(std::move(applied));
  return brought;
}

Result<std::string> Workspace::keep_rest() {
  if (!is_own() || !host_.valid() || keep_ == profile::Keep::none) return std::string();
  auto store = SBX_TRY(changes::Store::open(true));
  auto staging = SBX_TRY(store.stage(id_));
  const changes::ChangeSet set = SBX_TRY(harvest(staging));
  const changes::Totals sum = changes::totals(set);
  if (sum.added + sum.modified + sum.deleted == 0) return std::string();
  if (const auto named = staging.commit(set); !named)
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "cannot keep the session's changes",
                                 .sys_errno = named.error().value});
  return id_;
}

}  // namespace sbx::mcp
