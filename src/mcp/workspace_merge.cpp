// What a run has changed is brought into the session's workspace: all of it, or nothing where
// another call has changed the same since the run began. So what was brought in first stands.
#include <algorithm>
#include <utility>

#include "changes/store.hpp"
#include "changes/tree.hpp"
#include "changes/view_words.hpp"
#include "mcp/workspace.hpp"

namespace sbx::mcp {
namespace {

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
    if (++count == 1) first = changes::shown_path(change.path);
  }
  if (count == 0) return {};
  return "what is closed to its owner is open to it in the workspace: " + first +
         (count == 1 ? "" : ", and " + std::to_string(count - 1) + " more");
}

void add_words(std::string& text, const std::string& more) {
  if (more.empty()) return;
  if (!text.empty()) text += "; ";
  text += more;
}

/// Nobody but calls works in there: it is one of them that changes::apply takes for the host.
void name_the_call(std::vector<changes::Conflict>& conflicts, const changes::ChangeSet& set) {
  for (changes::Conflict& conflict : conflicts) {
    const auto change = std::ranges::find(set.changes, conflict.path, &changes::Change::path);
    if (change != set.changes.end() && change->disturbed)
      conflict.why = "another call has changed it since this one began";
  }
}

Error no_journal(int error) {
  return {.kind = ErrorKind::host,
          .what = "cannot write down what changes for the calls under way",
          .sys_errno = error};
}

}  // namespace

Workspace::Merged Workspace::merge(const std::string& run, const Meanwhile& meanwhile) {
  Merged merged;
  if (!journal_) return merged;  // not a session's own
  const auto bring = [&](const Journal& journal) -> Result<void> {
    const auto store = SBX_TRY(changes::Store::open(false));
    std::optional<changes::KeptRun> kept;
    changes::ChangeSet set;
    if (!run.empty()) {
      kept = SBX_TRY(store.find(run, changes::Store::Use::change));
      set = SBX_TRY(changes::read_changes(*kept));
    }
    const auto done = bring_in(kept, set, journal, meanwhile, merged);
    if (kept)
      (void)store.remove(*kept);  // else the next server does it, as of a session that has ended
    return done;
  };
  if (const auto done = bring(*journal_); !done)
    merged.warning = "the changes of this call are lost: " + done.error().to_line();
  return merged;
}

void Workspace::forget(const std::string& run) {
  const auto store = changes::Store::open(false);
  if (!store) return;
  if (const auto kept = store->find(run, changes::Store::Use::change)) (void)store->remove(*kept);
}

Result<void> Workspace::bring_in(const std::optional<changes::KeptRun>& kept,
                                 changes::ChangeSet& set, const Journal& journal,
                                 const Meanwhile& meanwhile, Merged& merged) {
  const Journal::Past past = SBX_TRY(journal.since(meanwhile.began));
  if (meanwhile.copied) merged.conflicts = deleted_meanwhile(set, past, tree_.get());
  merged.warning = drop_hidden(set);
  reconcile(set, past);
  add_words(merged.warning, open_closed(set));
  for (const changes::Change& change : set.changes)
    if (change.after.kind == changes::EntryKind::folder) SBX_CHECK(check_depth(change.path));
  SBX_CHECK(check_room(growth_of(set)));
  if (merged.conflicts.empty() && kept)
    SBX_CHECK(apply_to_tree(*kept, set, journal, meanwhile, merged));
  merged.kept = merged.conflicts.empty();
  return {};
}

SysResult<void> Workspace::prepare_write(std::string_view path, const Meanwhile& meanwhile) const {
  if (!journal_ || !meanwhile.others) return {};
  journal_->forget(*meanwhile.others);
  changes::ChangeSet set;
  changes::Workspace tree(tree_.get());
  for (std::size_t end = 0; end != path.size();) {
    end = std::min(path.size(), path.find('/', end + 1));
    changes::Change change;
    change.path = path.substr(0, end);
    change.before = SBX_TRY(tree.look(change.path));
    if (change.before.kind != changes::EntryKind::folder) set.changes.push_back(std::move(change));
  }
  return journal_->prepare(set);
}

Result<void> Workspace::commit_write(const Meanwhile& meanwhile) const {
  if (!journal_ || !meanwhile.others) return {};
  if (const auto noted = journal_->commit(); !noted)
    return std::unexpected(no_journal(noted.error().value));
  return {};
}

Result<void> Workspace::apply_to_tree(const changes::KeptRun& kept, const changes::ChangeSet& set,
                                      const Journal& journal, const Meanwhile& meanwhile,
                                      Merged& merged) {
  const auto all = SBX_TRY(changes::select(set, {}));
  journal.forget(meanwhile.others.value_or(supervise::now_ns()));
  if (meanwhile.others)
    if (const auto noted = journal.prepare(set); !noted)
      return std::unexpected(no_journal(noted.error().value));
  auto applied = changes::apply(kept, set, tree_.get(), all);
  const bool nothing = applied && !applied->conflicts.empty();
  // Also what has failed has done something.
  if (meanwhile.others && !nothing)
    if (const auto noted = journal.commit(); !noted)
      return std::unexpected(no_journal(noted.error().value));
  if (!applied) return std::unexpected(std::move(applied).error());
  merged.conflicts = std::move(applied->conflicts);
  name_the_call(merged.conflicts, set);
  return {};
}

}  // namespace sbx::mcp
