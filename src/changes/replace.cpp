#include "changes/replace.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "changes/apply.hpp"
#include "changes/look.hpp"
#include "os/content.hpp"
#include "os/folder.hpp"

namespace sbx::changes {
namespace {

/// In the kept run's folder: in which folder of the workspace the unfinished file may be.
constexpr const char* kNote = "applying";

std::unexpected<Errno> fail() { return std::unexpected(Errno{errno}); }

std::string temporary_name(const std::string& run) { return ".sbx-apply-" + run; }

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
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
      top_(workspace),
      tree_(workspace),
      sources_(workspace),
      temporary_(temporary_name(kept.run)) {}

Result<void> Replacer::begin() {
  if (const auto cleared = clear_unfinished(kept_, top_); !cleared)
    return std::unexpected(
        Error{.kind = ErrorKind::host,
              .what = "cannot remove " + temporary_ + ", which an interrupted apply has left",
              .sys_errno = cleared.error().value});
  return {};
}

void Replacer::end() { ::unlinkat(kept_.folder.get(), kNote, 0); }

SysResult<void> Replacer::write_down(std::string_view path) {
  const std::string_view folder = folder_of(path);
  if (written_down_ == folder) return {};
  const os::UniqueFd note(
      ::openat(kept_.folder.get(), kNote, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!note.valid()) return fail();
  if (::write(note.get(), folder.data(), folder.size()) != static_cast<ssize_t>(folder.size()))
    return fail();
  written_down_ = folder;
  return {};
}

SysResult<void> Replacer::put(const Change& change, const Entry& now) {
  const Spot spot = SBX_TRY(tree_.spot(change.path));
  const auto source = sources_of_.find(change.link_group);
  const bool links = change.link_group != 0 && source != sources_of_.end();
  if (!links && now.kind == EntryKind::file && change.after.kind == EntryKind::file &&
      change.object == 0) {
    SBX_CHECK(set_mode(spot.folder, spot.name, change.after.mode));
  } else {
    SBX_CHECK(write_down(change.path));
    if (const auto made = make_and_rename(change, spot, now); !made) {
      ::unlinkat(spot.folder, temporary_.c_str(), 0);
      return made;
    }
  }
  note_link(change);
  return {};
}

SysResult<void> Replacer::make_and_rename(const Change& change, const Spot& spot,
                                          const Entry& now) {
  const bool linked = SBX_TRY(make_link(change, spot));
  // rename(2) does nothing with two names of one file.
  if (linked && is_same_file(spot, temporary_, spot)) {
    if (::unlinkat(spot.folder, temporary_.c_str(), 0) != 0) return fail();
    return {};
  }
  if (!linked) {
    SBX_CHECK(make(change, spot));
    SBX_CHECK(give_owner({spot.folder, temporary_}));
    if (now.kind == EntryKind::file && change.after.kind == EntryKind::file)
      SBX_CHECK(copy_access_list(spot.folder, spot.name, temporary_));
    if (change.after.kind != EntryKind::symlink)
      SBX_CHECK(set_mode(spot.folder, temporary_, change.after.mode));
  }
  if (::renameat(spot.folder, temporary_.c_str(), spot.folder, spot.name.c_str()) != 0)
    return fail();
  return {};
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

SysResult<void> Replacer::make(const Change& change, const Spot& spot) {
  switch (change.after.kind) {
    case EntryKind::file:
      return make_file(change, spot);
    case EntryKind::symlink:
      if (::symlinkat(change.after.target.c_str(), spot.folder, temporary_.c_str()) != 0)
        return fail();
      return {};
    case EntryKind::fifo:
      if (::mkfifoat(spot.folder, temporary_.c_str(), 0600) != 0) return fail();
      return {};
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
  const Entry now = SBX_TRY(look_at(from.folder, from.name, Side::host));
  if (!is_same(change.after, now)) return false;
  if (::linkat(from.folder, from.name.c_str(), spot.folder, temporary_.c_str(), 0) != 0)
    return fail();
  return true;
}

SysResult<void> Replacer::make_file(const Change& change, const Spot& spot) {
  const os::UniqueFd file = SBX_TRY(os::open_beneath(
      spot.folder, temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  const os::UniqueFd kept = SBX_TRY(open_object(kept_, change.object));
  const os::Content content = SBX_TRY(os::copy_content(kept.get(), file.get()));
  if (content.digest != change.after.digest) return std::unexpected(Errno{EIO});  // damaged
  SBX_CHECK(set_attributes(spot.folder, temporary_, change.after));
  const ::timespec time{change.after.modified_ns / 1'000'000'000,
                        change.after.modified_ns % 1'000'000'000};
  const ::timespec times[] = {time, time};
  if (::futimens(file.get(), times) != 0) return fail();
  return {};
}

SysResult<void> Replacer::give_owner(const Spot& spot) const {
  if (::geteuid() != 0) return {};
  struct ::stat top{};
  if (::fstat(top_, &top) != 0) return fail();
  if (::fchownat(spot.folder, spot.name.c_str(), top.st_uid, top.st_gid, AT_SYMLINK_NOFOLLOW) != 0)
    return fail();
  return {};
}

SysResult<void> clear_unfinished(const KeptRun& kept, int workspace) {
  const os::UniqueFd note(::openat(kept.folder.get(), kNote, O_RDONLY | O_CLOEXEC));
  if (!note.valid()) {
    if (errno == ENOENT) return {};
    return fail();
  }
  std::string folder;
  char bytes[4096];
  for (ssize_t n; (n = ::read(note.get(), bytes, sizeof bytes)) != 0;) {
    if (n < 0) return fail();
    folder.append(bytes, static_cast<std::size_t>(n));
  }
  Workspace tree(workspace);
  const std::string name = temporary_name(kept.run);
  const auto spot = tree.spot(folder.empty() ? name : folder + "/" + name);
  // No such folder any more: nothing is in it.
  if (spot && ::unlinkat(spot->folder, name.c_str(), 0) != 0 && errno != ENOENT) return fail();
  if (::unlinkat(kept.folder.get(), kNote, 0) != 0) return fail();
  return {};
}

}  // namespace sbx::changes
