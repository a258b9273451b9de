// The order: look at everything; open closed folders; delete, the deepest first; make and replace,
// parents first; give folders their modes, the deepest first. Whatever ends it in between, each
// path has what it had or what it is to have, and the same again does the rest.
#include "changes/apply.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ranges>
#include <set>

#include "base/text.hpp"
#include "changes/judge.hpp"
#include "changes/replace.hpp"
#include "changes/tree.hpp"

namespace sbx::changes {
namespace {

std::unexpected<Errno> fail() { return std::unexpected(Errno{errno}); }

bool is_folder(const Entry& entry) { return entry.kind == EntryKind::folder; }

class Apply {
 public:
  Apply(const KeptRun& kept, const ChangeSet& set, int workspace,
        std::span<const std::size_t> wanted)
      : set_(set), wanted_(wanted), tree_(workspace), replacer_(kept, workspace) {}

  Result<Applied> run() {
    look();
    if (!applied_.conflicts.empty()) return std::move(applied_);
    SBX_CHECK(replacer_.begin());
    SBX_CHECK(for_each(wanted_, &Apply::open_folder));
    SBX_CHECK(for_each(std::views::reverse(wanted_), &Apply::take_away));
    SBX_CHECK(for_each(wanted_, &Apply::put));
    SBX_CHECK(for_each(std::views::reverse(wanted_), &Apply::close_folder));
    replacer_.end();
    return std::move(applied_);
  }

 private:
  using Act = SysResult<void> (Apply::*)(std::size_t);

  void look() {
    for (const std::size_t i : wanted_)
      if (set_.changes[i].passage) replacer_.note_link(set_.changes[i]);
    for (const std::size_t i : wanted_) {
      const Change& change = set_.changes[i];
      if (change.passage) continue;
      Judgement judged = judge(change, tree_);
      if (judged.standing == Standing::conflict)
        applied_.conflicts.push_back({change.path, std::move(judged.why)});
      else if (judged.standing == Standing::done && replacer_.is_joined(change))
        ++applied_.already;
      else
        to_do_.insert(i);
    }
  }

  template <class Range>
  Result<void> for_each(const Range& range, Act act) {
    for (const std::size_t i : range) {
      const auto done = (this->*act)(i);
      if (done) continue;
      Error error{
          .kind = ErrorKind::host,
          .what = "cannot change " + printable(set_.changes[i].path, 4096) + " in the workspace",
          .hint = "what is done is done; the same command goes on from here",
          .sys_errno = done.error().value};
      if (!late_.empty()) error.what += ": " + late_;
      return std::unexpected(std::move(error));
    }
    return {};
  }

  /// Nobody may have changed it since we looked.
  SysResult<Entry> look_again(const Change& change) {
    Judgement judged = judge(change, tree_);
    if (judged.standing != Standing::conflict) return std::move(judged.now);
    late_ = std::move(judged.why);
    return std::unexpected(Errno{EBUSY});
  }

  SysResult<void> open_folder(std::size_t i) {
    const Change& change = set_.changes[i];
    if (!is_folder(change.before)) return {};
    const Entry now = SBX_TRY(tree_.look(change.path));
    if (!is_folder(now) || (now.mode & S_IRWXU) == S_IRWXU) return {};
    const Spot spot = SBX_TRY(tree_.spot(change.path));
    return set_mode(spot.folder, spot.name, now.mode | S_IRWXU);
  }

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
      const Entry absent{};
      return is_folder(change.after) ? make_folder(change) : replacer_.put(change, absent);
    }
    return is_folder(change.after) ? SysResult<void>{} : replacer_.put(change, now);
  }

  SysResult<void> make_folder(const Change& change) {
    const Spot spot = SBX_TRY(tree_.spot(change.path));
    if (::mkdirat(spot.folder, spot.name.c_str(), S_IRWXU) != 0) return fail();
    return replacer_.give_owner(spot);
  }

  SysResult<void> close_folder(std::size_t i) {
    const Change& change = set_.changes[i];
    if (!is_folder(change.after)) return {};
    const Spot spot = SBX_TRY(tree_.spot(change.path));
    if (!change.passage) SBX_CHECK(set_attributes(spot.folder, spot.name, change.after));
    struct ::stat what{};
    if (::fstatat(spot.folder, spot.name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0) return fail();
    const unsigned mode = what.st_mode & 01777U;
    const bool opened = mode == (change.after.mode | S_IRWXU);
    if (mode == change.after.mode || (change.passage && !opened)) return {};
    // What folders hand on to what is made in them is the host's.
    return set_mode(spot.folder, spot.name, change.after.mode | (what.st_mode & 06000U));
  }

  const ChangeSet& set_;
  std::span<const std::size_t> wanted_;
  Workspace tree_;
  Replacer replacer_;
  std::set<std::size_t> to_do_;
  std::string late_;  ///< what we saw when it was too late to refuse all
  Applied applied_;
};

}  // namespace

Result<Applied> apply(const KeptRun& kept, const ChangeSet& set, int workspace,
                      std::span<const std::size_t> wanted) {
  return Apply(kept, set, workspace, wanted).run();
}

}  // namespace sbx::changes
