#include "changes/unfinished.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"
#include "changes/note.hpp"
#include "changes/open_folders.hpp"
#include "changes/owner.hpp"
#include "changes/tree.hpp"
#include "os/folder.hpp"

namespace sbx::changes {

std::string unfinished_name(const std::string& run) { return ".sbx-apply-" + run; }

SysResult<void> remove_unfinished(const KeptRun& kept, int workspace) {
  const auto folder = SBX_TRY(Note(kept.folder.get()).unfinished());
  if (!folder) return {};
  const std::string name = unfinished_name(kept.run);
  Workspace tree(workspace);
  const auto spot = tree.spot(folder->empty() ? name : *folder + "/" + name);
  if (!spot) return {};  // no such folder any more: nothing is in it
  AsOwner owner;
  SBX_CHECK(owner.take(workspace));
  // A file system that is read-only refuses to remove also what is not there.
  struct ::stat what{};
  if (::fstatat(spot->folder, name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
    return {};
  if (::unlinkat(spot->folder, name.c_str(), 0) != 0 && errno != ENOENT) return fail();
  return {};
}

SysResult<void> clear_unfinished(const KeptRun& kept, const ChangeSet& set, int workspace) {
  SBX_CHECK(remove_unfinished(kept, workspace));  // before the folder that it is in is closed
  OpenFolders open(kept, set, workspace);
  SBX_CHECK(open.load());
  SBX_CHECK(open.close());
  const Note note(kept.folder.get());
  return note.is_there() ? note.settle() : SysResult<void>{};
}

void clear_unfinished(const KeptRun& kept) {
  const Note note(kept.folder.get());
  const auto unfinished = note.unfinished();
  const auto open = note.open_folders();
  if (unfinished && !*unfinished && open && open->empty()) return;
  const auto set = read_changes(kept);
  const auto workspace = set ? os::open_folder_strict(set->workspace) : SysResult<os::UniqueFd>();
  // What cannot be done now, the next may, and discard says it.
  if (workspace && workspace->valid()) (void)clear_unfinished(kept, *set, workspace->get());
}

}  // namespace sbx::changes
