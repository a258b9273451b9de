#include "changes/replace.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/fail.hpp"
#include "changes/file_time.hpp"
#include "changes/look.hpp"
#include "changes/owner.hpp"
#include "changes/unfinished.hpp"
#include "os/content.hpp"
#include "os/folder.hpp"

namespace sbx::changes {
namespace {

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

/// What has just been made, unless somebody has put something else there already.
SysResult<Held> hold_made(int folder, const std::string& name, mode_t type) {
  Held held = SBX_TRY(Held::open(folder, name));
  const struct ::stat what = SBX_TRY(held.look());
  if ((what.st_mode & S_IFMT) != type || what.st_nlink != 1) return std::unexpected(Errno{EBUSY});
  return held;
}

bool is_same_file(const Spot& a, const std::string& a_name, const Spot& b) {
  struct ::stat one{};
  struct ::stat other{};
  return ::fstatat(a.folder, a_name.c_str(), &one, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstatat(b.folder, b.name.c_str(), &other, AT_SYMLINK_NOFOLLOW) == 0 &&
         one.st_ino == other.st_ino && one.st_dev == other.st_dev;
}

}  // namespace

Replacer::Replacer(const KeptRun& kept, int workspace)
    : kept_(kept),
      note_(kept.folder.get()),
      top_(workspace),
      tree_(workspace),
      sources_(workspace),
      temporary_(unfinished_name(kept.run)) {}

Result<void> Replacer::begin() {
  if (const auto cleared = remove_unfinished(kept_, top_); !cleared)
    return std::unexpected(
        Error{.kind = ErrorKind::host,
              .what = "cannot remove " + temporary_ + ", which an interrupted apply has left",
              .sys_errno = cleared.error().value});
  // From here on a folder may be as only an apply leaves it.
  if (const auto noted = note_.begin(); !noted)
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "cannot write to the folder of the kept changes",
                                 .sys_errno = noted.error().value});
  return {};
}

SysResult<void> Replacer::write_down(std::string_view path) {
  const std::string_view folder = folder_of(path);
  if (written_down_ == folder) return {};
  SBX_CHECK(note_.unfinished_in(folder));
  written_down_ = folder;
  return {};
}

SysResult<void> Replacer::put(const Change& change, const Entry& now, const Seen& seen) {
  const Spot spot = SBX_TRY(tree_.spot(change.path));
  SBX_CHECK(write_down(change.path));
  made_ = false;
  if (const auto done = make_and_rename(change, spot, now, seen); !done) {
    if (made_) ::unlinkat(spot.folder, temporary_.c_str(), 0);
    return done;
  }
  note_link(change);
  return {};
}

SysResult<void> Replacer::make_and_rename(const Change& change, const Spot& spot, const Entry& now,
                                          const Seen& seen) {
  const os::UniqueFd source = SBX_TRY(open_source(change, spot));
  AsOwner owner;
  SBX_CHECK(owner.take(top_));
  const bool linked = SBX_TRY(make_link(change, spot));
  // rename(2) does nothing with two names of one file.
  if (linked && is_same_file(spot, temporary_, spot)) {
    if (::unlinkat(spot.folder, temporary_.c_str(), 0) != 0) return fail();
    return {};
  }
  if (!linked) {
    const Held made = SBX_TRY(make(change, spot, source));
    if (change.after.kind == EntryKind::file && now.kind == EntryKind::file) {
      const Held old = SBX_TRY(Held::open(spot.folder, spot.name));
      SBX_CHECK(made.take_access_list(old));
    }
    if (change.after.kind != EntryKind::symlink) SBX_CHECK(made.set_mode(change.after.mode));
    SBX_CHECK(made.check_at(spot.folder, temporary_));
  }
  return take_its_place(spot, seen, now.kind == EntryKind::absent);
}

/// What has come into being there meanwhile is not overwritten.
SysResult<void> Replacer::take_its_place(const Spot& spot, const Seen& seen, bool is_new) {
  const char* const name = spot.name.c_str();
  SBX_CHECK(seen.check_at(spot));
  if (is_new) return take_free_place(spot);
  if (::renameat(spot.folder, temporary_.c_str(), spot.folder, name) != 0) return fail();
  return {};
}

SysResult<void> Replacer::take_free_place(const Spot& spot) {
  const char* const from = temporary_.c_str();
  const char* const name = spot.name.c_str();
  if (::renameat2(spot.folder, from, spot.folder, name, RENAME_NOREPLACE) == 0) return {};
  // EINVAL: a file system that knows no flags of renameat2(2), as NFS. A link replaces nothing.
  if (errno == EINVAL) {
    if (::linkat(spot.folder, from, spot.folder, name, 0) == 0) {
      (void)::unlinkat(spot.folder, from, 0);
      return {};
    }
    if (errno != EEXIST)
      why_ = "its file system cannot rename without replacing what is there, nor link";
  }
  return std::unexpected(Errno{errno == EEXIST ? EBUSY : errno});
}

void Replacer::note_link(const Change& change) {
  if (change.link_group != 0 && change.after.kind == EntryKind::file)
    sources_of_.try_emplace(change.link_group, &change);
}

bool Replacer::is_joined(const Change& change) {
  const auto source = sources_of_.find(change.link_group);
  if (change.link_group == 0 || change.after.kind != EntryKind::file) return true;
  if (source == sources_of_.end()) {
    note_link(change);
    return true;
  }
  const auto from = sources_.spot(source->second->path);
  const auto to = tree_.spot(change.path);
  return from && to && is_same_file(*from, from->name, *to);
}

SysResult<Held> Replacer::make(const Change& change, const Spot& spot, const os::UniqueFd& source) {
  switch (change.after.kind) {
    case EntryKind::file:
      return make_file(change, spot, source);
    case EntryKind::symlink:
      if (::symlinkat(change.after.target.c_str(), spot.folder, temporary_.c_str()) != 0)
        return fail();
      made_ = true;
      return hold_made(spot.folder, temporary_, S_IFLNK);
    case EntryKind::fifo:
      if (::mkfifoat(spot.folder, temporary_.c_str(), 0600) != 0) return fail();
      made_ = true;
      return hold_made(spot.folder, temporary_, S_IFIFO);
    case EntryKind::absent:
    case EntryKind::folder:
      break;
  }
  return std::unexpected(Errno{EINVAL});
}

/// true: another of its group is there, and this is a second name of it.
SysResult<bool> Replacer::make_link(const Change& change, const Spot& spot) {
  const auto source = sources_of_.find(change.link_group);
  if (change.link_group == 0 || source == sources_of_.end()) return false;
  const Spot from = SBX_TRY(sources_.spot(source->second->path));
  // Only what it is to be: the host may have changed it, when it is one that the run left alone.
  const Entry now = SBX_TRY(linked_.look(from.folder, from.name));
  if (!is_same(change.after, now)) return false;
  if (::linkat(from.folder, from.name.c_str(), spot.folder, temporary_.c_str(), 0) != 0)
    return fail();
  made_ = true;
  return true;
}

/// What is kept or, when only its mode is another, the host's own: a file may have more names than
/// this one, and those are not the run's. Only its owner can have changed its mode, and root reads
/// nobody else's for them.
SysResult<os::UniqueFd> Replacer::open_source(const Change& change, const Spot& spot) {
  if (change.after.kind != EntryKind::file) return os::UniqueFd();
  if (change.object != 0) {
    auto content = open_object(kept_, change.object);
    content_is_lost_ = !content && content.error().value == ENOENT;
    return content;
  }
  os::UniqueFd own = SBX_TRY(os::open_beneath(spot.folder, spot.name.c_str(),
                                              O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct ::stat what{};
  if (::fstat(own.get(), &what) != 0) return fail();
  if (!SBX_TRY(is_owners(top_, what))) return std::unexpected(Errno{EPERM});
  return own;
}

SysResult<Held> Replacer::make_file(const Change& change, const Spot& spot,
                                    const os::UniqueFd& source) {
  os::UniqueFd created = SBX_TRY(os::open_beneath(spot.folder, temporary_.c_str(),
                                                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  Held file(std::move(created));
  made_ = true;
  const os::Content content = SBX_TRY(os::copy_content(source.get(), file.fd()));
  // A closed file's content nobody could look at; it is the host's own if it is not kept.
  const bool unknown = change.object == 0 && change.after.digest.empty();
  if (!unknown && content.digest != change.after.digest) {
    content_is_lost_ = change.object != 0;  // else it is the host's, who has changed it meanwhile
    return std::unexpected(Errno{EBUSY});
  }
  SBX_CHECK(file.set_attributes(change.after));
  const ::timespec time = time_of(change.after.modified_ns);
  const ::timespec times[] = {time, time};
  if (::futimens(file.fd(), times) != 0) return fail();
  return file;
}

SysResult<void> Replacer::make_folder(const Change& change) {
  const Spot spot = SBX_TRY(tree_.spot(change.path));
  AsOwner owner;
  SBX_CHECK(owner.take(top_));
  if (::mkdirat(spot.folder, spot.name.c_str(), S_IRWXU) != 0) return fail();
  return {};
}

}  // namespace sbx::changes
