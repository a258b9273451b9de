#include "mcp/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "base/fail.hpp"
#include "changes/look.hpp"
#include "changes/manifest.hpp"
#include "changes/tree.hpp"
#include "os/folder.hpp"
#include "os/whole_file.hpp"

namespace sbx::mcp {
namespace {

using supervise::Nanos;

constexpr const char* kNext = "next";
constexpr std::size_t kDigits = 20;  // so that names are in the order of their times

std::string name_of(Nanos time) {
  const std::string digits = std::to_string(time);
  return std::string(kDigits - std::min(kDigits, digits.size()), '0') + digits;
}

SysResult<std::string> read_note(int folder, const std::string& name) {
  const os::UniqueFd file = SBX_TRY(os::open_beneath(folder, name.c_str(), O_RDONLY | O_NOFOLLOW));
  return os::read_all(file.get());
}

Error unreadable(int error) {
  return {.kind = ErrorKind::host,
          .what = "cannot look up what other calls have changed meanwhile",
          .sys_errno = error};
}

}  // namespace

SysResult<void> Journal::prepare(const changes::ChangeSet& set) const {
  changes::ChangeSet noted;
  for (const changes::Change& change : set.changes) {
    // A disturbed one is brought in only if it is there already: somebody else has noted it.
    if (change.passage || change.disturbed) continue;
    changes::Change& one = noted.changes.emplace_back();
    one.path = change.path;
    one.before = change.before;
  }
  const os::UniqueFd file(
      ::openat(folder_.get(), kNext, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return fail();
  return os::write_all(file.get(), changes::to_manifest(noted));
}

SysResult<void> Journal::commit() const {
  const std::string name = name_of(supervise::now_ns());
  if (::renameat(folder_.get(), kNext, folder_.get(), name.c_str()) != 0) return fail();
  return {};
}

void Journal::forget(Nanos time) const {
  const std::string first = name_of(time);
  const auto names = os::list_names(folder_.get());
  if (!names) return;  // it is no more than a little room, and goes with the session
  for (const std::string& name : *names)
    if (name < first) (void)::unlinkat(folder_.get(), name.c_str(), 0);
}

Result<Journal::Past> Journal::since(Nanos time) const {
  Past past;
  const std::string first = name_of(time);
  const auto names = os::list_names(folder_.get());
  if (!names) return std::unexpected(unreadable(names.error().value));
  for (const std::string& name : *names) {
    if (name < first || name == kNext) continue;
    const auto text = read_note(folder_.get(), name);
    if (!text) return std::unexpected(unreadable(text.error().value));
    changes::ChangeSet noted = SBX_TRY(changes::from_manifest(*text));
    for (changes::Change& change : noted.changes)
      past.try_emplace(std::move(change.path), std::move(change.before));
  }
  return past;
}

void reconcile(changes::ChangeSet& set, const Journal::Past& past) {
  std::erase_if(set.changes, [&past](changes::Change& change) {
    const auto found = past.find(change.path);
    if (change.passage || found == past.end()) return false;
    // Others have changed it, and it is as it was.
    if (changes::is_same(found->second, change.before)) return false;
    // Of a file with several names, to be one with the others may be all that the run has done to
    // it; and what is gone is nowhere by chance.
    const bool left = changes::is_same(found->second, change.after) && change.link_group == 0;
    if (left && change.after.kind != changes::EntryKind::absent) return true;
    change.disturbed = true;
    return false;
  });
}

std::vector<changes::Conflict> deleted_meanwhile(const changes::ChangeSet& set,
                                                 const Journal::Past& past, int tree) {
  std::set<std::string_view> seen;
  for (const changes::Change& change : set.changes) seen.insert(change.path);
  std::vector<changes::Conflict> conflicts;
  changes::Workspace workspace(tree);
  for (const auto& [path, was] : past) {
    if (was.kind == changes::EntryKind::absent || seen.contains(path)) continue;
    const auto now = workspace.look(path);
    if (!now || now->kind == changes::EntryKind::absent || changes::is_same(was, *now)) continue;
    conflicts.push_back({path, "another call has changed it, and this one may have deleted it"});
  }
  return conflicts;
}

}  // namespace sbx::mcp
