#include "changes/judge.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "changes/look.hpp"

namespace sbx::changes {
namespace {

bool is_folder(const Entry& entry) { return entry.kind == EntryKind::folder; }

Judgement conflict(std::string why, Entry now = {}) {
  return {Standing::conflict, std::move(why), std::move(now)};
}

std::string cannot_look(int error) {
  switch (error) {
    case ELOOP:
      return "a symbolic link stands on the way to it now";
    case EXDEV:
      return "another file system is mounted on the way to it now";
    case EINVAL:
      return "the host has a socket or a device there";
    default:
      return std::string("it cannot be looked at: ") + ::strerrordesc_np(error);
  }
}

std::string difference(const Change& change, const Entry& now) {
  if (now.kind == EntryKind::absent) return "the host has removed it since";
  const std::string is(kind_name(now.kind));
  if (change.before.kind == EntryKind::absent) return "the host has made a " + is + " of that name";
  if (now.kind != change.before.kind)
    return "the host has made it a " + is + ", it was a " +
           std::string(kind_name(change.before.kind));
  if (now.kind == EntryKind::file && !has_same_content(change.before, now))
    return "the host has changed its content since";
  return "the host has changed its mode, attributes or target since";
}

bool has_mode(const Entry& folder, unsigned mode, const Entry& attributes) {
  return folder.mode == mode && folder.attributes == attributes.attributes;
}

/// A folder takes what is in it from other changes, and its own mode last of all: until then it is
/// open to its owner.
bool may_be_folder_in_between(const Change& change, const Entry& now) {
  if (!is_folder(now)) return false;
  if (!is_folder(change.before))
    return has_mode(now, S_IRWXU, {}) || has_mode(now, S_IRWXU, change.after);
  return has_mode(now, change.before.mode | S_IRWXU, change.before) ||
         has_mode(now, change.after.mode | S_IRWXU, change.after) ||
         has_mode(now, change.before.mode | S_IRWXU, change.after);
}

/// A file cannot take a folder's place at once, nor the other way round.
bool may_be_absent_in_between(const Change& change) {
  return change.before.kind != EntryKind::absent && change.after.kind != EntryKind::absent &&
         is_folder(change.before) != is_folder(change.after);
}

}  // namespace

Judgement judge(const Change& change, Workspace& workspace, bool resuming) {
  auto now = workspace.look(change.path);
  if (!now) return conflict(cannot_look(now.error().value));
  if (is_same(change.after, *now)) return {Standing::done, {}, std::move(*now)};
  if (change.disturbed)
    return conflict("the host changed it while the run went on", std::move(*now));
  const bool in_between =
      resuming && (may_be_folder_in_between(change, *now) ||
                   (now->kind == EntryKind::absent && may_be_absent_in_between(change)));
  const bool unchanged = is_same(change.before, *now) || in_between;
  if (unchanged) return {Standing::to_do, {}, std::move(*now)};
  return conflict(difference(change, *now), std::move(*now));
}

}  // namespace sbx::changes
