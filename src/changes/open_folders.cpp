#include "changes/open_folders.hpp"

#include <sys/stat.h>

#include <ranges>

#include "changes/owner.hpp"

namespace sbx::changes {
namespace {

bool is_folder(const Entry& entry) { return entry.kind == EntryKind::folder; }

}  // namespace

SysResult<void> OpenFolders::load() {
  for (const Note::Folder& folder : SBX_TRY(note_.open_folders()))
    if (folder.index < set_.changes.size()) modes_.insert_or_assign(folder.index, folder.mode);
  return {};
}

SysResult<void> OpenFolders::open(std::size_t i) {
  const Change& change = set_.changes[i];
  if (!is_folder(change.before) && !is_folder(change.after)) return {};
  const Entry now = SBX_TRY(tree_.look(change.path));
  if (!is_folder(now) || (now.mode & S_IRWXU) == S_IRWXU) return {};
  const Spot spot = SBX_TRY(tree_.spot(change.path));
  const Held folder = SBX_TRY(hold_folder(top_, spot));
  SBX_CHECK(note_.add_open({i, now.mode}));
  modes_.insert_or_assign(i, now.mode);
  return folder.set_mode(now.mode | S_IRWXU);
}

SysResult<void> OpenFolders::made(std::size_t i) {
  const unsigned mode = set_.changes[i].after.mode;
  modes_.insert_or_assign(i, mode);
  return note_.add_open({i, mode});
}

std::optional<unsigned> OpenFolders::mode_of(std::size_t i) const {
  const auto found = modes_.find(i);
  return found == modes_.end() ? std::nullopt : std::optional(found->second);
}

SysResult<void> OpenFolders::close() {
  SysResult<void> all{};
  tree_.forget();
  for (const auto& [i, mode] : std::views::reverse(modes_))
    if (auto one = close_one(set_.changes[i], mode); !one) all = std::move(one);
  if (all) modes_.clear();
  return all;
}

SysResult<void> OpenFolders::close_one(const Change& change, unsigned mode) {
  const Entry now = SBX_TRY(tree_.look(change.path));
  const bool is_new = !is_folder(change.before);
  // Of another mode it is not as we have left it, and somebody else's matter.
  const bool ours = now.mode == (mode | S_IRWXU) || (is_new && now.mode == S_IRWXU);
  if (!is_folder(now) || !ours) return {};
  const Spot spot = SBX_TRY(tree_.spot(change.path));
  const Held folder = SBX_TRY(hold_folder(top_, spot));
  if (is_new) SBX_CHECK(folder.set_attributes(change.after));
  return folder.set_mode(mode | (SBX_TRY(folder.look()).st_mode & 06000U));
}

}  // namespace sbx::changes
