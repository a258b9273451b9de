#include "supervise/change_keeper.hpp"

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "base/text.hpp"
#include "changes/apply.hpp"
#include "changes/harvest.hpp"
#include "os/mount.hpp"
#include "supervise/json_figures.hpp"

namespace sbx::supervise {
namespace {

using Place = ChangeKeeper::Place;

/// Component by component, as the sandbox finds it.
SysResult<os::UniqueFd> open_folder(const std::string& path) {
  const os::UniqueFd at = SBX_TRY(os::open_path_strict(path.c_str()));
  os::UniqueFd folder(::openat(at.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return std::unexpected(Errno{errno});
  return folder;
}

Result<os::UniqueFd> open_workspace(const std::string& path) {
  auto folder = open_folder(path);
  if (folder) return std::move(*folder);
  return std::unexpected(Error{
      .kind = ErrorKind::host,
      .what = "cannot read the workspace " + quote(path) + ", which changes are compared with",
      .sys_errno = folder.error().value});
}

Error keeping_error(int error) {
  if (error == E2BIG)
    return {.kind = ErrorKind::host,
            .what = "the names of what has changed are too long, or too many"};
  return {.kind = ErrorKind::host, .what = "cannot read or copy them", .sys_errno = error};
}

changes::ChangeSet empty_set(const plan::Plan& plan, const plan::KeepChanges& wanted) {
  changes::ChangeSet set;
  set.run = plan.run_id;
  set.profile = plan.profile_name;
  set.workspace = wanted.workspace;
  set.argv = plan.argv;
  set.ended_at = timestamp(std::chrono::system_clock::now());
  return set;
}

/// Fills the place with `set`; a run that has changed nothing leaves nothing.
Result<KeptChanges> keep(Place& place, int upper, changes::ChangeSet set, Outcome& outcome) {
  const changes::Layers layers{upper, place.lower.get(), place.began_ns};
  if (const auto read = changes::harvest(layers, place.staging, set); !read)
    return std::unexpected(keeping_error(read.error().value));
  for (const changes::Omission& omitted : set.omitted)
    outcome.warnings.push_back("not kept of the changes: " + quote(omitted.path) + ": " +
                               omitted.why);
  KeptChanges kept{changes::totals(set), {}, false};
  if (kept.totals.added + kept.totals.modified + kept.totals.deleted == 0) return kept;
  if (const auto named = place.staging.commit(set); !named)
    return std::unexpected(keeping_error(named.error().value));
  kept.run = set.run;
  return kept;
}

std::string conflict_text(const changes::Applied& applied, const std::string& run) {
  const changes::Conflict& first = applied.conflicts.front();
  std::string text =
      "the changes are kept, and not applied: " + quote(first.path) + ": " + first.why;
  if (applied.conflicts.size() > 1)
    text += " (and " + std::to_string(applied.conflicts.size() - 1) + " more)";
  return text + "; see sbx diff " + run;
}

Result<void> apply(const Place& place, KeptChanges& report, Outcome& outcome) {
  const changes::KeptRun kept = SBX_TRY(place.store.find(report.run));
  const changes::ChangeSet set = SBX_TRY(changes::read_changes(kept));
  const auto all = SBX_TRY(changes::select(set, {}));
  const changes::Applied applied = SBX_TRY(changes::apply(kept, set, place.lower.get(), all));
  if (!applied.conflicts.empty()) {
    outcome.undelivered.push_back(conflict_text(applied, report.run));
    return {};
  }
  report.applied = true;
  if (const auto removed = place.store.remove(kept); !removed)
    outcome.warnings.push_back("the applied changes are still kept, too: " + report.run);
  report.run.clear();
  return {};
}

}  // namespace

Result<void> ChangeKeeper::prepare(const plan::Plan& plan) {
  if (!plan.keep) return {};
  auto lower = SBX_TRY(open_workspace(plan.keep->workspace));
  auto store = SBX_TRY(changes::Store::open(true));
  auto staging = SBX_TRY(store.stage(plan.run_id));
  // Not the coarse clock that most files get their times from: since Linux 6.13 some are finer, and
  // what was written just before us would seem to be later. The other way round, a change within a
  // tick after this can look older, but the command does not run before that is over.
  const auto began = std::chrono::system_clock::now().time_since_epoch();
  place_.emplace(std::move(store), std::move(staging), std::move(lower),
                 std::chrono::nanoseconds(began).count());
  return {};
}

void ChangeKeeper::finish(const plan::Plan& plan, Outcome& outcome) {
  if (!upper_.valid() || !place_ || !plan.keep) return;
  auto kept = keep(*place_, upper_.get(), empty_set(plan, *plan.keep), outcome);
  Result<void> done{};
  if (!kept) {
    done = std::unexpected(kept.error());
  } else {
    const bool wanted = plan.keep->apply && outcome.status == Status::ok && !kept->run.empty();
    if (wanted) done = apply(*place_, *kept, outcome);
    outcome.changes = std::move(*kept);
  }
  if (!done)
    outcome.undelivered.push_back((outcome.changes
                                       ? "the changes are kept, and could not be applied: "
                                       : "the changes could not be kept: ") +
                                  done.error().to_line());
  place_.reset();
}

}  // namespace sbx::supervise
