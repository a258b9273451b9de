#include "changes/change.hpp"

namespace sbx::changes {

std::string_view kind_name(EntryKind kind) {
  switch (kind) {
    case EntryKind::absent:
      return "absent";
    case EntryKind::file:
      return "file";
    case EntryKind::folder:
      return "folder";
    case EntryKind::symlink:
      return "symlink";
    case EntryKind::fifo:
      return "fifo";
  }
  return "absent";
}

Totals totals(const ChangeSet& set) {
  Totals sum;
  for (const Change& change : set.changes) {
    if (change.passage) continue;
    if (change.before.kind == EntryKind::absent)
      ++sum.added;
    else if (change.after.kind == EntryKind::absent)
      ++sum.deleted;
    else
      ++sum.modified;
    if (change.object != 0) sum.bytes += change.after.size;
  }
  return sum;
}

}  // namespace sbx::changes
