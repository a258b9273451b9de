#include "supervise/change_keeper.hpp"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <functional>
#include <utility>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "changes/apply.hpp"
#include "changes/file_time.hpp"
#include "changes/harvest.hpp"
#include "os/folder.hpp"
#include "supervise/json_figures.hpp"
#include "supervise/redaction.hpp"

namespace sbx::supervise {
namespace {

using Place = ChangeKeeper::Place;

Result<os::UniqueFd> open_workspace(const std::string& path) {
  auto folder = os::open_folder_strict(path);  // as the sandbox finds it
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
  if (error == ECANCELED)
    return {.kind = ErrorKind::host, .what = "sbx was asked to end while it read them"};
  const bool full = error == ENOSPC || error == EDQUOT;
  return {.kind = ErrorKind::host,
          .what = "cannot read or copy them",
          .hint = full ? "make room (sbx discard removes kept changes), or let XDG_STATE_HOME name "
                         "a folder that has some"
                       : "",
          .sys_errno = error};
}

changes::ChangeSet empty_set(const plan::Plan& plan, const plan::KeepChanges& wanted,
                             const Redactor& redactor) {
  changes::ChangeSet set;
  set.run = plan.run_id;
  set.profile = plan.profile_name;
  set.workspace = wanted.workspace;
  set.argv = redacted(redactor, plan.argv);
  set.ended_at = timestamp(std::chrono::system_clock::now());
  return set;
}

/// The payload decides how many there are; the list of the kept changes has all.
void warn_of_omissions(const changes::ChangeSet& set, Outcome& outcome) {
  constexpr std::size_t kMost = 20;
  for (std::size_t i = 0; i < std::min(kMost, set.omitted.size()); ++i)
    outcome.warnings.push_back("not kept of the changes: " + quote(set.omitted[i].path) + ": " +
                               set.omitted[i].why);
  if (set.omitted.size() > kMost)
    outcome.warnings.push_back(
        "not kept of the changes: " + std::to_string(set.omitted.size() - kMost) + " more");
}

/// Fills the place with `set`; a run that has changed nothing leaves nothing.
Result<KeptChanges> keep(Place& place, const changes::Layers& layers, changes::ChangeSet set,
                         const std::function<bool()>& ended, Outcome& outcome) {
  if (const auto read = changes::harvest(layers, place.staging, set, ended); !read)
    return std::unexpected(keeping_error(read.error().value));
  warn_of_omissions(set, outcome);
  KeptChanges kept{changes::totals(set), {}, false};
  if (kept.totals.added + kept.totals.modified + kept.totals.deleted == 0) return kept;
  if (const auto named = place.staging.commit(set); !named)
    return std::unexpected(keeping_error(named.error().value));
  kept.run = set.run;
  return kept;
}

/// What the host has changed since then has a later time, whether or not its clock was set back
/// meanwhile; what it had changed shortly before may then have one, too.
std::int64_t began_of(const Place& place, Outcome& outcome) {
  const std::int64_t back = set_back(place.clock, clock_offset());
  if (back == 0) return place.began_ns;
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::nanoseconds(back));
  outcome.warnings.push_back("the host's clock was set back by " + format_duration(rounded) +
                             " during the run: what the host had changed in the workspace for as "
                             "long before it counts as changed meanwhile");
  return place.began_ns - back;
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
  const changes::KeptRun kept = SBX_TRY(place.store.find(report.run, changes::Store::Use::change));
  const changes::ChangeSet set = SBX_TRY(changes::read_changes(kept));
  const auto all = SBX_TRY(changes::select(set, {}));
  auto tried = changes::apply(kept, set, place.lower.get(), all);
  // The same command again would be another run.
  if (!tried && tried.error().hint == changes::kGoesOn)
    tried.error().hint = "what is done is done; sbx apply " + report.run + " goes on from here";
  const changes::Applied applied = SBX_TRY(std::move(tried));
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
  // tick after this can look older: see await_tick().
  const auto began = std::chrono::system_clock::now().time_since_epoch();
  place_.emplace(std::move(store), std::move(staging), std::move(lower),
                 std::chrono::nanoseconds(began).count(), clock_offset());
  return {};
}

/// A start can be shorter than a tick of the clock that files get their times from. Since
/// Linux 6.13 (multigrain timestamps) a file that somebody has looked at gets a finer time by its
/// next change, and after that no file an earlier one (ktime_get_coarse_real_ts64_mg()): then the
/// second touch does, and nobody waits.
void ChangeKeeper::wait_past(const changes::Staging& staging, std::int64_t began_ns) {
  constexpr ::timespec kPause{0, 250'000};
  constexpr int kMost = 200;  // the clock may have been set back meanwhile: see began_of()
  for (int i = 0; i < kMost; ++i) {
    ::timespec coarse{};
    if (::clock_gettime(CLOCK_REALTIME_COARSE, &coarse) != 0) return;
    if (changes::nanoseconds(coarse) > began_ns) return;
    if (const auto now = staging.touch(); now && *now > began_ns) return;
    if (i > 0) (void)::nanosleep(&kPause, nullptr);
  }
}

void ChangeKeeper::finish(const plan::Plan& plan, const std::function<bool()>& ended,
                          Outcome& outcome) {
  if (!upper_.valid() || !place_ || !plan.keep) return;
  try {
    finish_with(*place_, *plan.keep, plan, ended, outcome);
  } catch (const std::exception& failure) {
    // How the command ended is to be told all the same.
    outcome.undelivered.push_back(std::string("the changes could not be kept: ") + failure.what());
  }
  place_.reset();
}

void ChangeKeeper::finish_with(Place& place, const plan::KeepChanges& wanted,
                               const plan::Plan& plan, const std::function<bool()>& ended,
                               Outcome& outcome) const {
  const changes::Layers layers{upper_.get(), place.lower.get(), began_of(place, outcome), whole_};
  auto kept = keep(place, layers, empty_set(plan, wanted, outcome.redactor), ended, outcome);
  Result<void> done{};
  if (!kept) {
    done = std::unexpected(kept.error());
  } else {
    if (wanted.apply && outcome.status == Status::ok && !kept->run.empty())
      done = apply(place, *kept, outcome);
    outcome.changes = std::move(*kept);
  }
  if (!done)
    outcome.undelivered.push_back((outcome.changes
                                       ? "the changes are kept, and could not be applied: "
                                       : "the changes could not be kept: ") +
                                  done.error().to_line());
}

}  // namespace sbx::supervise
