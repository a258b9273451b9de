#include "changes/harvest.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include <cerrno>
#include <map>
#include <utility>

#include "base/fail.hpp"
#include "base/quantity.hpp"
#include "changes/descent.hpp"
#include "changes/file_time.hpp"
#include "changes/found.hpp"
#include "changes/look.hpp"
#include "changes/many_names.hpp"
#include "changes/weight.hpp"
#include "os/content.hpp"
#include "os/folder.hpp"

namespace sbx::changes {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

bool is_closed(const Entry& folder) { return (folder.mode & S_IRWXU) != S_IRWXU; }

/// Attributes are set on a new file before it takes its place, so that needs the content as well;
/// so does a mode, where the host's own content cannot be read.
bool needs_content(const Change& change) {
  return change.after.kind == EntryKind::file &&
         (!has_same_content(change.before, change.after) || change.before.digest.empty() ||
          change.before.attributes != change.after.attributes);
}

/// Somebody on the host has put something else, or nothing, where fstatat(2) has just been: no
/// reason to lose what the run has done elsewhere.
bool has_moved(int error) { return error == ENOENT || error == ELOOP || error == ENOTDIR; }

/// What the payload can have made of a file that is not to be had whole.
bool is_too_much(int error) { return error == E2BIG || error == ERANGE; }

/// Something has been moved to where this folder is, or it has been changed itself: rename(2) and
/// chmod(2) set the time of change alone, what is made in it both.
bool was_moved(const struct ::stat& folder) {
  return nanoseconds(folder.st_ctim) != nanoseconds(folder.st_mtim);
}

/// Of a file with several names: what the first was found to be, and what it was on the host.
struct Linked {
  Change first;
  ::ino_t node = 0;
};

class Harvest {
 public:
  Harvest(const Layers& layers, const Staging& staging, ChangeSet& set,
          const std::function<bool()>& ended)
      : layers_(layers), staging_(staging), set_(set), ended_(ended) {}

  SysResult<void> run() {
    if (!layers_.stays && ::fchmod(layers_.upper, S_IRWXU) != 0) return fail();
    Level top;
    top.upper = SBX_TRY(os::open_beneath(layers_.upper, ".", kFolder));
    top.lower = SBX_TRY(os::open_beneath(layers_.lower, ".", kFolder));
    top.hides = layers_.whole;
    holds_attributes_ = os::holds_attributes(layers_.upper);
    SBX_CHECK(descent_.enter(std::move(top)));
    while (!descent_.done()) {
      if (ended_ && ended_()) return std::unexpected(Errno{ECANCELED});
      Level& level = descent_.level();
      if (level.next == level.names.size())
        SBX_CHECK(leave());
      else
        SBX_CHECK(visit(level, level.names[level.next++]));
    }
    return {};
  }

 private:
  SysResult<void> leave() {
    if (SBX_TRY(descent_.leave())) return {};
    Level& level = descent_.level();
    SBX_CHECK(omit(level.path, "the host moved it while it was looked at"));
    level.next = level.names.size();
    return {};
  }

  SysResult<void> omit(std::string path, std::string why) {
    set_.omitted.push_back({std::move(path), std::move(why)});
    return weight_.add(set_.omitted.back());
  }

  SysResult<void> visit(const Level& level, const std::string& name) {
    const Found upper = SBX_TRY(find(level.has_upper, level.upper.get(), name));
    const auto found = find(level.has_lower, level.lower.get(), name);
    if (!found && found.error().value == EACCES) {
      SBX_CHECK(omit(level.path_of(name), "the host's folder is closed"));
      return {};
    }
    // A name that the host's file system cannot have is one that it does not have.
    const Found lower = found.value_or(Found{});
    const bool gone = !upper.there || upper.is_whiteout();
    if (gone && !lower.there) return {};
    Change change;
    change.path = level.path_of(name);
    if (gone && layers_.whole && !SBX_TRY(was_copied(level, name, lower, change.path))) return {};
    change.disturbed = level.disturbed && lower.there;
    if (lower.there && !SBX_TRY(look_below(level, name, lower, change))) return {};
    if (!gone && !SBX_TRY(look_above(level, name, upper, change))) return {};
    SBX_CHECK(weight_.add(change));
    Level inner{.path = change.path};
    if (change.after.kind == EntryKind::folder) {
      auto folder = os::open_beneath(level.upper.get(), name.c_str(), kFolder);
      if (!folder && layers_.stays && folder.error().value == EACCES) {
        SBX_CHECK(omit(change.path, "the folder is closed to its owner"));
        return {};
      }
      if (!folder) return std::unexpected(folder.error());
      inner.upper = std::move(*folder);
    }
    if (change.before.kind == EntryKind::folder && !SBX_TRY(open_below(level, name, inner)))
      return {};
    inner.hides = level.hides || !inner.upper.valid();
    if (inner.upper.valid() && inner.lower.valid() && !inner.hides)
      inner.hides = SBX_TRY(os::is_opaque(inner.upper.get()));
    if (inner.lower.valid() && nanoseconds(lower.what.st_ctim) > layers_.began_ns)
      inner.disturbed = (inner.hides && !layers_.whole) || was_moved(lower.what);
    inner.disturbed = inner.disturbed || level.disturbed;
    SBX_CHECK(settle(level, name, lower, std::move(change)));
    if (inner.upper.valid() || inner.lower.valid()) return descent_.enter(std::move(inner));
    return {};
  }

  /// Of what a copy lacks: was it ever there, so that the run has deleted it? The host may have
  /// made it since; where that cannot be told, it is noted.
  SysResult<bool> was_copied(const Level& level, const std::string& name, const Found& lower,
                             const std::string& path) {
    if (!is_copied(lower.type())) return false;
    if (nanoseconds(lower.what.st_ctim) <= layers_.began_ns) return true;
    if (!SBX_TRY(os::is_born_after(level.lower.get(), name.c_str(), layers_.began_ns)))
      SBX_CHECK(omit(path, "the host has changed it, and it may be deleted here"));
    return false;
  }

  /// false: it is what no change can be made of, and that is noted.
  SysResult<bool> look_below(const Level& level, const std::string& name, const Found& found,
                             Change& change) {
    auto entry = many_names_.look(level.lower.get(), name, found.what);
    if (!entry && entry.error().value == EINVAL) {
      SBX_CHECK(omit(change.path, "the host has a socket or a device there"));
      return false;
    }
    if (!entry && has_moved(entry.error().value)) {
      change.disturbed = true;
      return true;
    }
    if (!entry && is_too_much(entry.error().value)) {
      SBX_CHECK(omit(change.path, "the host's has too many attributes"));
      return false;
    }
    if (!entry && entry.error().value == EXDEV) {
      SBX_CHECK(omit(change.path, "another file is mounted there on the host"));
      return false;
    }
    if (!entry) return std::unexpected(entry.error());
    change.before = std::move(*entry);
    // A folder's time says that something in it has changed, which is looked at by itself.
    change.disturbed = change.disturbed || (change.before.kind != EntryKind::folder &&
                                            nanoseconds(found.what.st_ctim) > layers_.began_ns);
    return true;
  }

  SysResult<bool> look_above(const Level& level, const std::string& name, const Found& found,
                             Change& change) {
    const bool linked = found.type() == S_IFREG && found.what.st_nlink > 1;
    if (linked)
      change.link_group = 1 + groups_.try_emplace(found.what.st_ino, groups_.size()).first->second;
    if (const auto known = linked_.find(change.link_group); linked && known != linked_.end()) {
      change.after = known->second.first.after;
      change.object = known->second.first.object;
      return true;
    }
    auto entry = look_at(level.upper.get(), name, found.what, side());
    if (!entry && entry.error().value == EINVAL) {
      SBX_CHECK(omit(change.path, "a socket or a device"));
      return false;
    }
    if (!entry && is_too_much(entry.error().value)) {
      SBX_CHECK(omit(change.path, "its attributes are too many"));
      return false;
    }
    if (!entry) return std::unexpected(entry.error());
    change.after = std::move(*entry);
    if (change.after.for_overlays && !change.before.for_overlays)
      SBX_CHECK(omit(change.path, "its attributes user.overlay.*, which overlays obey"));
    // Lost on the way up, and not the run's doing.
    if (!holds_attributes_ && change.after.kind == change.before.kind)
      change.after.attributes = change.before.attributes;
    if ((found.what.st_mode & (S_ISUID | S_ISGID)) != 0 && found.type() == S_IFREG)
      SBX_CHECK(omit(change.path, "its setuid and setgid bits"));
    return true;
  }

  [[nodiscard]] Side side() const {
    if (layers_.stays) return Side::host;
    return layers_.whole ? Side::copy : Side::layer;
  }

  /// false: another file system is mounted there on the host, or nobody may look into it.
  SysResult<bool> open_below(const Level& level, const std::string& name, Level& inner) {
    auto folder = os::open_beneath(level.lower.get(), name.c_str(), kFolder);
    if (folder) {
      inner.lower = std::move(*folder);
      return true;
    }
    const int error = folder.error().value;
    if (has_moved(error))
      SBX_CHECK(omit(inner.path, "the host moved it while it was looked at"));
    else if (error == EXDEV && layers_.whole && inner.upper.valid() &&
             SBX_TRY(os::list_names(inner.upper.get())).empty())
      return false;  // as it was copied
    else if (error == EXDEV)
      SBX_CHECK(omit(inner.path, "another file system is mounted there on the host"));
    else if (error == EACCES)
      SBX_CHECK(omit(inner.path, "the host's folder is closed"));
    else
      return std::unexpected(folder.error());
    return false;
  }

  /// Adds the change, if it is one, with its content.
  SysResult<void> settle(const Level& level, const std::string& name, const Found& lower,
                         Change change) {
    const ::ino_t node = lower.there ? lower.what.st_ino : 0;
    const auto known = linked_.find(change.link_group);
    const bool first = change.link_group != 0 && known == linked_.end();
    // Two that the host has, and as two: to be one is a change, even with one content.
    const bool joins = change.link_group != 0 && !first && node != 0 && known->second.node != 0 &&
                       known->second.node != node;
    if (known != linked_.end() && known->second.node == 0) known->second.node = node;
    if (is_same(change.before, change.after) && !joins) {
      const bool closed = change.after.kind == EntryKind::folder && is_closed(change.after);
      if (!closed && change.link_group == 0) return {};
      change.passage = true;
      change.disturbed = false;
    } else if (change.object == 0 && (needs_content(change) || change.link_group != 0)) {
      if (!SBX_TRY(keep_content(level, name, change))) return {};
      if (known != linked_.end()) known->second.first.object = change.object;
    }
    if (first) linked_.emplace(change.link_group, Linked{change, node});
    set_.changes.push_back(std::move(change));
    return {};
  }

  /// false: its size is more than a file can have where changes are kept, and that is noted.
  SysResult<bool> keep_content(const Level& level, const std::string& name, Change& change) {
    auto from = os::open_beneath(level.upper.get(), name.c_str(), O_RDONLY | O_NOFOLLOW);
    if (!from && layers_.stays && from.error().value == EACCES) {
      SBX_CHECK(omit(change.path, "it is closed to its owner"));
      return false;
    }
    if (!from) return std::unexpected(from.error());
    const os::UniqueFd to = SBX_TRY(staging_.create_object(++objects_));
    const auto content = os::copy_content(from->get(), to.get());
    if (!content && content.error().value == EFBIG) {
      SBX_CHECK(omit(change.path, "a file of " + format_bytes(change.after.size)));
      staging_.remove_object(objects_);
      return false;
    }
    if (!content) return std::unexpected(content.error());
    if (content->digest != change.after.digest) return std::unexpected(Errno{EBUSY});
    change.object = objects_;
    return true;
  }

  const Layers& layers_;
  const Staging& staging_;
  ChangeSet& set_;
  const std::function<bool()>& ended_;
  Descent descent_;
  bool holds_attributes_ = true;
  Weight weight_;
  ManyNames many_names_;  ///< the host's
  std::uint64_t objects_ = 0;
  std::map<::ino_t, std::uint64_t> groups_;  ///< of files with several names
  std::map<std::uint64_t, Linked> linked_;
};

}  // namespace

SysResult<void> harvest(const Layers& layers, const Staging& staging, ChangeSet& set,
                        const std::function<bool()>& ended) {
  return Harvest(layers, staging, set, ended).run();
}

}  // namespace sbx::changes
