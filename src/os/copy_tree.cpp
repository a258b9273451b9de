#include "os/copy_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include "base/fail.hpp"
#include "base/fixed_text.hpp"
#include "os/copy_file.hpp"
#include "os/fd.hpp"
#include "os/folder.hpp"

namespace sbx::os {
namespace {

constexpr int kRead = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

/// Somebody works in there while it is copied: gone, or replaced by something else.
bool has_moved(int error) noexcept {
  return error == ENOENT || error == ELOOP || error == ENOTDIR || error == ENXIO;
}

bool is_dot(const char* name) noexcept {
  return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

SysResult<void> copy_times(int folder, const char* name, const struct ::stat& what) noexcept {
  const ::timespec times[] = {what.st_atim, what.st_mtim};
  if (::utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW) != 0) return fail();
  return {};
}

/// One folder on the way down. Its listing goes on at `next` after what lies below: one buffer is
/// enough for all levels then (getdents64(2), d_off).
struct Level {
  UniqueFd from{};
  UniqueFd to{};
  struct ::stat what{};
  ::off64_t next = 0;
};

class Copy {
 public:
  Copy(int from, int to, int links, Closed closed) noexcept
      : top_from_(from), top_to_(to), links_(links), closed_(closed) {}

  SysResult<void> run() noexcept {
    Level& top = levels_[depth_++];
    top.from = SBX_TRY(open_beneath(top_from_, ".", kFolder));
    top.to = SBX_TRY(open_beneath(top_to_, ".", kFolder));
    while (depth_ > 0) {
      Level& level = levels_[depth_ - 1];
      if (::lseek(level.from.get(), level.next, SEEK_SET) < 0) return fail();
      const ssize_t size = ::getdents64(level.from.get(), listing_, sizeof listing_);
      if (size < 0 && errno != ENOENT) return fail();
      if (size <= 0)
        SBX_CHECK(leave());
      else
        SBX_CHECK(copy_listed(level, size));
    }
    return drop_links();
  }

 private:
  /// Up to the first folder, which is gone into at once.
  SysResult<void> copy_listed(Level& level, ssize_t size) noexcept {
    const std::size_t depth = depth_;
    for (ssize_t at = 0; at < size && depth_ == depth;) {
      const auto* const entry = reinterpret_cast<const ::dirent64*>(listing_ + at);
      at += entry->d_reclen;
      level.next = entry->d_off;
      if (!is_dot(entry->d_name)) SBX_CHECK(copy_entry(level, entry->d_name));
    }
    return {};
  }

  SysResult<void> copy_entry(Level& level, const char* name) noexcept {
    struct ::stat what{};
    if (::fstatat(level.from.get(), name, &what, AT_SYMLINK_NOFOLLOW) != 0)
      return has_moved(errno) ? SysResult<void>{} : fail();
    switch (what.st_mode & S_IFMT) {
      case S_IFDIR:
        return enter(level, name);
      case S_IFREG:
        return copy_names(level, name, what);
      case S_IFLNK:
        return copy_link(level, name, what);
      case S_IFIFO:
        if (::mkfifoat(level.to.get(), name, 0600) != 0) return fail();
        if (::fchmodat(level.to.get(), name, what.st_mode & kCopiedBits, 0) != 0) return fail();
        return copy_times(level.to.get(), name, what);
      default:
        return {};
    }
  }

  SysResult<void> enter(Level& level, const char* name) noexcept {
    auto from = open_to_visit(level.from.get(), name);
    const int error = from ? 0 : from.error().value;
    if (has_moved(error) || leaves_out(error)) return {};
    if (error != 0 && error != EXDEV) return std::unexpected(Errno{error});
    if (::mkdirat(level.to.get(), name, 0700) != 0) return fail();
    if (error == EXDEV) return {};
    if (depth_ == levels_.size()) return std::unexpected(Errno{ELOOP});
    Level& inner = levels_[depth_];
    inner.from = std::move(*from);
    inner.to = SBX_TRY(open_beneath(level.to.get(), name, kFolder));
    inner.next = 0;
    if (::fstat(inner.from.get(), &inner.what) != 0) return fail();
    ++depth_;
    return {};
  }

  /// What is made in a folder changes its time, and a folder may be closed to ourselves.
  SysResult<void> leave() noexcept {
    Level& level = levels_[depth_ - 1];
    if (depth_ > 1) SBX_CHECK(copy_facts(level.from.get(), level.to.get(), level.what));
    level.from.reset();
    level.to.reset();
    --depth_;
    return {};
  }

  /// A file with several names is copied once: the copy has a name in `links_` made of its device's
  /// and inode's numbers (an overlay or btrfs(5) has several devices), and is linked to from there.
  /// No table has to be kept.
  SysResult<void> copy_names(Level& level, const char* name, const struct ::stat& what) noexcept {
    if (what.st_nlink < 2) return copy_regular(level, name);
    const auto known = FixedText<40>().add(what.st_dev, 16).add("-").add(what.st_ino, 16);
    if (is_copy_of(known.c_str(), what))
      return ::linkat(links_, known.c_str(), level.to.get(), name, 0) == 0 ? SysResult<void>{}
                                                                           : fail();
    SBX_CHECK(copy_regular(level, name));
    // EEXIST, ENOENT: it was swapped meanwhile, and has two contents now.
    if (::linkat(level.to.get(), name, links_, known.c_str(), 0) != 0 && errno != ENOENT &&
        errno != EEXIST)
      return fail();
    return {};
  }

  /// A name more is a name that the command would count.
  SysResult<void> drop_links() noexcept {
    for (;;) {
      if (::lseek(links_, 0, SEEK_SET) < 0) return fail();
      const ssize_t size = ::getdents64(links_, listing_, sizeof listing_);
      if (size < 0) return fail();
      bool dropped = false;
      for (ssize_t at = 0; at < size;) {
        const auto* const entry = reinterpret_cast<const ::dirent64*>(listing_ + at);
        at += entry->d_reclen;
        if (is_dot(entry->d_name)) continue;
        if (::unlinkat(links_, entry->d_name, 0) != 0) return fail();
        dropped = true;
      }
      if (!dropped) return {};
    }
  }

  /// Not of another file, which has the number now.
  bool is_copy_of(const char* known, const struct ::stat& what) const noexcept {
    struct ::stat copied{};
    return ::fstatat(links_, known, &copied, AT_SYMLINK_NOFOLLOW) == 0 &&
           copied.st_size == what.st_size && copied.st_mtim.tv_sec == what.st_mtim.tv_sec &&
           copied.st_mtim.tv_nsec == what.st_mtim.tv_nsec;
  }

  SysResult<void> copy_regular(const Level& level, const char* name) const noexcept {
    const auto from = open_beneath(level.from.get(), name, kRead);
    const int error = from ? 0 : from.error().value;
    if (has_moved(error) || error == EXDEV || leaves_out(error)) return {};
    if (error != 0) return std::unexpected(Errno{error});
    struct ::stat what{};
    if (::fstat(from->get(), &what) != 0) return fail();
    if (!S_ISREG(what.st_mode)) return {};
    const UniqueFd to =
        SBX_TRY(open_beneath(level.to.get(), name, O_WRONLY | O_CREAT | O_EXCL, 0600));
    SBX_CHECK(copy_bytes(from->get(), to.get()));
    return copy_facts(from->get(), to.get(), what);
  }

  static SysResult<void> copy_link(const Level& level, const char* name,
                                   const struct ::stat& what) noexcept {
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlinkat(level.from.get(), name, target.data(), target.size() - 1);
    if (size < 0) return has_moved(errno) || errno == EINVAL ? SysResult<void>{} : fail();
    if (::symlinkat(target.data(), level.to.get(), name) != 0) return fail();
    return copy_times(level.to.get(), name, what);
  }

  [[nodiscard]] bool leaves_out(int error) const noexcept {
    return error == EACCES && closed_ == Closed::is_left_out;
  }

  int top_from_;
  int top_to_;
  int links_;
  Closed closed_;
  std::size_t depth_ = 0;  ///< 0: done
  std::array<Level, kDeepestCopy> levels_{};
  alignas(::dirent64) char listing_[16384];
};

}  // namespace

SysResult<void> copy_tree(int from, int to, int links, Closed closed) noexcept {
  return Copy(from, to, links, closed).run();
}

}  // namespace sbx::os
