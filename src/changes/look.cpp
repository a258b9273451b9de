#include "changes/look.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <utility>

#include "base/fail.hpp"
#include "changes/file_time.hpp"
#include "os/content.hpp"
#include "os/fd.hpp"
#include "os/folder.hpp"

namespace sbx::changes {
namespace {

constexpr unsigned kKeptBits =
    01777;  // of the mode: what hands over rights is not for others to set
constexpr int kRead = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

SysResult<void> read_attributes(int fd, Side side, Entry& entry) {
  os::Attributes found = SBX_TRY(os::read_attributes(fd, side == Side::layer));
  entry.for_overlays = found.for_overlays;
  entry.attributes.reserve(found.list.size());
  for (auto& [name, value] : found.list)
    entry.attributes.push_back({std::move(name), std::move(value)});
  return {};
}

SysResult<os::UniqueFd> open_to_read(int folder, const std::string& name, Side side, mode_t mode) {
  // Nothing runs in a layer any more, and fstatat(2) has said that it is no link.
  const bool closed = side != Side::host && (mode & S_IRWXU) != S_IRWXU;
  if (closed && ::fchmodat(folder, name.c_str(), mode | S_IRWXU, 0) != 0) return fail();
  return os::open_beneath(folder, name.c_str(), kRead);
}

SysResult<std::string> read_link(int folder, const std::string& name) {
  char target[PATH_MAX];
  const ssize_t size = ::readlinkat(folder, name.c_str(), target, sizeof target);
  if (size < 0) return fail();
  return std::string(target, static_cast<std::size_t>(size));
}

SysResult<void> read_file(int folder, const std::string& name, const struct ::stat& what, Side side,
                          Entry& entry) {
  entry.size = static_cast<std::uint64_t>(what.st_size);
  entry.modified_ns = nanoseconds(what.st_mtim);
  const auto file = open_to_read(folder, name, side, what.st_mode & 07777U);
  if (!file && file.error().value == EACCES) return {};
  if (!file) return std::unexpected(file.error());
  const os::Content content = SBX_TRY(os::digest_content(file->get()));
  entry.size = content.size;
  entry.digest = content.digest;
  return read_attributes(file->get(), side, entry);
}

}  // namespace

SysResult<Entry> look_at(int folder, const std::string& name, const struct ::stat& what,
                         Side side) {
  Entry entry;
  entry.mode = what.st_mode & kKeptBits;
  switch (what.st_mode & S_IFMT) {
    case S_IFREG:
      entry.kind = EntryKind::file;
      SBX_CHECK(read_file(folder, name, what, side, entry));
      return entry;
    case S_IFDIR: {
      entry.kind = EntryKind::folder;
      const auto inner = open_to_read(folder, name, side, what.st_mode & 07777U);
      if (!inner && inner.error().value != EACCES && inner.error().value != EXDEV)
        return std::unexpected(inner.error());
      if (inner) SBX_CHECK(read_attributes(inner->get(), side, entry));
      return entry;
    }
    case S_IFLNK:
      entry.kind = EntryKind::symlink;
      entry.mode = 0777;
      entry.target = SBX_TRY(read_link(folder, name));
      return entry;
    case S_IFIFO:
      entry.kind = EntryKind::fifo;
      return entry;
    default:
      return std::unexpected(Errno{EINVAL});
  }
}

SysResult<Entry> look_at(int folder, const std::string& name, Side side) {
  struct ::stat what{};
  if (::fstatat(folder, name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return Entry{};
    return fail();
  }
  return look_at(folder, name, what, side);
}

bool has_same_content(const Entry& a, const Entry& b) {
  if (a.kind != EntryKind::file || b.kind != EntryKind::file || a.size != b.size) return false;
  if (a.digest.empty() || b.digest.empty()) return a.modified_ns == b.modified_ns;
  return a.digest == b.digest;
}

bool is_same(const Entry& then, const Entry& now) {
  if (then.kind != now.kind) return false;
  switch (then.kind) {
    case EntryKind::absent:
      return true;
    case EntryKind::symlink:
      return then.target == now.target;
    case EntryKind::file:
      return then.mode == now.mode && then.attributes == now.attributes &&
             has_same_content(then, now);
    case EntryKind::folder:
    case EntryKind::fifo:
      return then.mode == now.mode && then.attributes == now.attributes;
  }
  return false;
}

}  // namespace sbx::changes
