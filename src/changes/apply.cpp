// The order: look at everything; open closed folders; delete, the deepest first; make and replace,
// parents first; give folders their modes, the deepest first, also when something has failed.
// Whatever ends it in between, each path has what it had or what it is to have, and the same again
// does the rest.
#include "changes/apply.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <ranges>
#include <set>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "changes/judge.hpp"
#include "changes/note.hpp"
#include "changes/open_folders.hpp"
#include "changes/owner.hpp"
#include "changes/replace.hpp"
#include "changes/seen.hpp"
#include "changes/tree.hpp"
#include "changes/unfinished.hpp"
#include "os/borrowed_rights.hpp"
#include "os/folder.hpp"

namespace sbx::changes {
namespace {

bool is_folder(const Entry& entry) { return entry.kind == EntryKind::folder; }

class Apply {
 public:
  Apply(const KeptRun& kept, const ChangeSet& set, int workspace,
        std::span<const std::size_t> wanted)
      : kept_(kept),
        set_(set),
        wanted_(wanted),
        workspace_(workspace),
        tree_(workspace),
        note_(kept.folder.get()),
        open_(kept, set, workspace),
        replacer_(kept, workspace) {}

  Result<Applied> run() {
    const auto owner = os::rights_in(workspace_);
    if (!owner)
      return std::unexpected(Error{.kind = ErrorKind::host,
                                   .what = "cannot look at the workspace",
                                   .sys_errno = owner.error().value});
    owner_ = *owner;
    look();
    if (!applied_.conflicts.empty()) return std::move(applied_);
    auto changed = change_all();
    leave(changed.has_value());
    if (!changed) return std::unexpected(std::move(changed).error());
    return std::move(applied_);
  }

 private:
  using Act = SysResult<void> (Apply::*)(std::size_t);

  Result<void> change_all() {
    SBX_CHECK(replacer_.begin());
    SBX_CHECK(load());
    SBX_CHECK(for_each(wanted_, &Apply::open_folder));
    SBX_CHECK(for_each(std::views::reverse(wanted_), &Apply::take_away));
    SBX_CHECK(for_each(wanted_, &Apply::put));
    return for_each(std::views::reverse(wanted_), &Apply::close_folder);
  }

  Result<void> load() {
    const auto loaded = resuming_ ? open_.load() : SysResult<void>{};
    if (loaded) return {};
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "cannot read the folder of the kept changes",
                                 .sys_errno = loaded.error().value});
  }

  /// The note stays as long as something may be as neither the host nor the run has it.
  void leave(bool done) {
    const bool clean = open_.close() && remove_unfinished(kept_, workspace_);
    const bool all = wanted_.size() == set_.changes.size();
    const bool whole = done ? all || !resuming_ : !resuming_ && !in_between_;
    if (clean && whole)
      note_.remove();
    else if (clean)
      (void)note_.settle();  // else the next looks for what is not there
  }

  void look() {
    resuming_ = note_.is_there();
    for (const std::size_t i : wanted_) {
      if (set_.changes[i].passage) replacer_.note_link(set_.changes[i]);
      if (set_.changes[i].after.kind == EntryKind::absent) going_.insert(set_.changes[i].path);
      if (is_folder(set_.changes[i].after)) coming_.insert(set_.changes[i].path);
    }
    for (const std::size_t i : wanted_)
      if (!set_.changes[i].passage) look_at_one(i);
  }

  void look_at_one(std::size_t i) {
    const Change& change = set_.changes[i];
    Judgement judged = judge(change, tree_, resuming_);
    if (judged.standing != Standing::conflict && judged.standing != Standing::done) {
      const std::string why = stands_against(change, judged.now);
      if (!why.empty()) judged = {Standing::conflict, why, {}};
    }
    if (judged.standing == Standing::conflict)
      applied_.conflicts.push_back({change.path, std::move(judged.why)});
    else if (judged.standing == Standing::done && replacer_.is_joined(change))
      ++applied_.already;
    else
      to_do_.insert(i);
  }

  /// What is wrong around a change that could be made itself; empty: nothing.
  std::string stands_against(const Change& change, const Entry& now) {
    const std::size_t slash = change.path.rfind('/');
    const std::string above = slash == std::string::npos ? "" : change.path.substr(0, slash);
    if (change.after.kind != EntryKind::absent && !above.empty() && !coming_.contains(above) &&
        !tree_.has_folder(above)) {
      const auto found = tree_.look(above);
      return "the folder that it belongs in is " +
             (found && found->kind != EntryKind::absent
                  ? "a " + std::string(kind_name(found->kind)) + " now"
                  : "not there any more");
    }
    if (!owner_may_make(change)) return "the owner of the workspace may not change that";
    if (!is_folder(now) || is_folder(change.after)) return {};
    const auto spot = tree_.spot(change.path);
    const auto folder = spot ? os::open_beneath(spot->folder, spot->name.c_str(),
                                                O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
                             : std::unexpected(spot.error());
    // Closed to us: whatever is in it, the removal will say.
    const auto names = folder ? os::list_names(folder->get()) : std::unexpected(folder.error());
    if (!names) return {};
    for (const std::string& name : *names)
      if (!going_.contains(change.path + "/" + name))
        return "it holds what the run did not know: " + quote(name);
    return {};
  }

  bool owner_may_make(const Change& change) {
    const auto spot = tree_.spot(change.path);
    if (!owner_ || !spot) return true;  // we are ourselves, or the folder comes first
    return owner_may(*owner_, change, *spot).value_or(false);
  }

  template <class Range>
  Result<void> for_each(const Range& range, Act act) {
    for (const std::size_t i : range) {
      const auto done = (this->*act)(i);
      if (done) continue;
      if (replacer_.is_content_lost()) return std::unexpected(content_is_lost(i));
      Error error{
          .kind = ErrorKind::host,
          .what = "cannot change " + printable(set_.changes[i].path, 4096) + " in the workspace",
          .hint = std::string(kGoesOn),
          .sys_errno = done.error().value};
      if (late_.empty()) late_ = replacer_.why();
      if (late_.empty() && done.error().value == EBUSY) late_ = "somebody else has just changed it";
      if (!late_.empty()) error.what += ": " + late_;
      if (done.error().value == EBUSY) error.sys_errno = 0;  // our own word for what is said now
      return std::unexpected(std::move(error));
    }
    return {};
  }

  Error content_is_lost(std::size_t i) {
    return {.kind = ErrorKind::host,
            .what = "what is kept of " + printable(set_.changes[i].path, 4096) +
                    " is missing or damaged",
            .hint = "the other changes: sbx apply " + kept_.run + " PATH...; sbx discard " +
                    kept_.run + " gives them up"};
  }

  /// Nobody may have changed it since we looked.
  SysResult<Entry> look_again(const Change& change) {
    const auto spot = tree_.spot(change.path);
    seen_ = spot ? SBX_TRY(Seen::at(*spot)) : Seen();  // no folder to be in
    Judgement judged = judge(change, tree_, true);
    if (judged.standing != Standing::conflict) return std::move(judged.now);
    late_ = std::move(judged.why);
    return std::unexpected(Errno{EBUSY});
  }

  SysResult<void> open_folder(std::size_t i) { return open_.open(i); }

  SysResult<void> take_away(std::size_t i) {
    const Change& change = set_.changes[i];
    if (change.after.kind != EntryKind::absent || !to_do_.contains(i)) return {};
    const Entry now = SBX_TRY(look_again(change));
    ++applied_.done;
    return remove(change, now);
  }

  SysResult<void> remove(const Change& change, const Entry& now) {
    if (now.kind == EntryKind::absent) return {};
    const Spot spot = SBX_TRY(tree_.spot(change.path));
    SBX_CHECK(seen_.check_at(spot));
    AsOwner owner;
    SBX_CHECK(owner.take(workspace_));
    if (::unlinkat(spot.folder, spot.name.c_str(), is_folder(now) ? AT_REMOVEDIR : 0) == 0) {
      tree_.forget();
      return {};
    }
    if (errno == ENOTEMPTY || errno == EEXIST) late_ = "it holds what the run did not know";
    return fail();
  }

  SysResult<void> put(std::size_t i) {
    const Change& change = set_.changes[i];
    if (change.after.kind == EntryKind::absent || !to_do_.contains(i)) return {};
    const Entry now = SBX_TRY(look_again(change));
    ++applied_.done;
    if (is_folder(now) != is_folder(change.after)) {
      SBX_CHECK(remove(change, now));
      in_between_ = now.kind != EntryKind::absent;
      const Entry absent{};
      SBX_CHECK(is_folder(change.after) ? make_folder(i) : replacer_.put(change, absent, {}));
      in_between_ = false;
      return {};
    }
    return is_folder(change.after) ? SysResult<void>{} : replacer_.put(change, now, seen_);
  }

  SysResult<void> make_folder(std::size_t i) {
    SBX_CHECK(replacer_.make_folder(set_.changes[i]));
    return open_.made(i);
  }

  SysResult<void> close_folder(std::size_t i) {
    const Change& change = set_.changes[i];
    if (!is_folder(change.after)) return {};
    const bool changes = to_do_.contains(i);
    const auto opened = open_.mode_of(i);
    const bool ours = opened.has_value();
    if (!change.passage && !changes && !ours) return {};
    const Spot spot = SBX_TRY(tree_.spot(change.path));
    const Held folder = SBX_TRY(hold_folder(workspace_, spot));
    if (changes) SBX_CHECK(folder.set_attributes(change.after));
    const unsigned present = SBX_TRY(folder.look()).st_mode;
    const unsigned mode = present & 01777U;
    // Where it only leads through, it gets back what it had; what an interrupted command has opened
    // is known by its mode alone.
    const bool left_open = resuming_ && mode == (change.after.mode | S_IRWXU);
    const unsigned wanted = change.passage && ours ? *opened : change.after.mode;
    if (mode == wanted || (change.passage && !ours && !left_open)) {
      open_.closed(i);
      return {};
    }
    // What folders hand on to what is made in them is the host's.
    SBX_CHECK(folder.set_mode(wanted | (present & 06000U)));
    open_.closed(i);
    return {};
  }

  const KeptRun& kept_;
  const ChangeSet& set_;
  std::span<const std::size_t> wanted_;
  int workspace_;
  std::optional<os::Ids> owner_{};  ///< none: not started by root
  Workspace tree_;
  Note note_;
  OpenFolders open_;
  Replacer replacer_;
  bool resuming_ = false;
  bool in_between_ = false;
  std::set<std::string> going_;   ///< paths that are to be removed
  std::set<std::string> coming_;  ///< paths that are to be folders
  std::set<std::size_t> to_do_;
  Seen seen_;         ///< by look_again()
  std::string late_;  ///< what we saw when it was too late to refuse all
  Applied applied_;
};

}  // namespace

Result<Applied> apply(const KeptRun& kept, const ChangeSet& set, int workspace,
                      std::span<const std::size_t> wanted) {
  return Apply(kept, set, workspace, wanted).run();
}

}  // namespace sbx::changes
