#include "os/folder.hpp"

#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "base/fail.hpp"
#include "os/entries.hpp"
#include "os/mount.hpp"

namespace sbx::os {
namespace {

constexpr std::string_view kUser = "user.";
constexpr std::string_view kOverlay = "user.overlay.";
constexpr std::string_view kEscaped = "user.overlay.overlay.";

bool has_none(int error) { return error == EOPNOTSUPP || error == ENODATA; }

/// A value or a list whose size may change between asking and getting.
template <class Get>
SysResult<std::string> get_sized(const Get& get) {
  std::string bytes;
  for (;;) {
    const ssize_t size = get(nullptr, 0);
    if (size < 0) return fail();
    bytes.resize(static_cast<std::size_t>(size));
    const ssize_t got = get(bytes.data(), bytes.size());
    if (got < 0 && errno == ERANGE) continue;
    if (got < 0) return fail();
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
  }
}

SysResult<std::string> get_attribute(int fd, const std::string& name) {
  return get_sized(
      [&](char* to, std::size_t size) { return ::fgetxattr(fd, name.c_str(), to, size); });
}

}  // namespace

SysResult<std::vector<std::string>> list_names(int fd, std::size_t most) {
  std::vector<std::string> names;
  SBX_CHECK(each_entry(fd, [&](const ::dirent64& entry) -> SysResult<void> {
    if (names.size() == most) return std::unexpected(Errno{E2BIG});
    names.emplace_back(entry.d_name);
    return {};
  }));
  std::ranges::sort(names);
  return names;
}

SysResult<UniqueFd> open_beneath(int folder, const char* path, int flags, mode_t mode) {
  ::open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  // EAGAIN: a rename next door (openat2(2)), or a lease that somebody holds for long (fcntl(2)).
  constexpr int kTries = 100;
  for (int tries = 1;; ++tries) {
    UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, folder, path, &how, sizeof how)));
    if (fd.valid()) return fd;
    if ((errno != EAGAIN && errno != EINTR) || tries == kTries) return fail();
  }
}

SysResult<UniqueFd> open_to_visit(int folder, const char* name) noexcept {
  UniqueFd inner = SBX_TRY(open_beneath(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  struct ::stat what{};
  // Of mode 644, say: its names can be read, and nothing behind them.
  if (::fstatat(inner.get(), ".", &what, AT_SYMLINK_NOFOLLOW) != 0) return fail();
  return inner;
}

SysResult<UniqueFd> open_folder_strict(const std::string& path) {
  const UniqueFd at = SBX_TRY(open_path_strict(path.c_str()));
  UniqueFd folder(::openat(at.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return fail();
  return folder;
}

bool is_for_overlays(std::string_view name) {
  return name.starts_with(kOverlay) || name.starts_with("trusted.overlay.");
}

SysResult<Attributes> read_attributes(int fd, bool in_layer) {
  Attributes found;
  const auto names =
      get_sized([&](char* to, std::size_t size) { return ::flistxattr(fd, to, size); });
  if (!names && has_none(names.error().value)) return found;
  if (!names) return std::unexpected(names.error());
  for (std::size_t at = 0; at < names->size();) {
    const std::string name(names->c_str() + at);
    at += name.size() + 1;
    if (!name.starts_with(kUser)) continue;
    if (is_for_overlays(name)) {
      found.for_overlays = found.for_overlays || !in_layer || name.starts_with(kEscaped);
      continue;
    }
    auto value = get_attribute(fd, name);
    if (!value && has_none(value.error().value)) continue;  // gone between
    if (!value) return std::unexpected(value.error());
    found.list.emplace_back(name, std::move(*value));
  }
  std::ranges::sort(found.list);
  return found;
}

bool holds_attributes(int fd) {
  return ::fgetxattr(fd, "user.sbx", nullptr, 0) >= 0 || errno != EOPNOTSUPP;
}

bool is_named(int folder, const char* name, int held) noexcept {
  struct ::stat named{};
  struct ::stat open{};
  return ::fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && ::fstat(held, &open) == 0 &&
         named.st_ino == open.st_ino && named.st_dev == open.st_dev;
}

void keep_apart(int folder) noexcept {
  int flags = 0;
  if (::ioctl(folder, FS_IOC_GETFLAGS, &flags) != 0 || (flags & FS_TOPDIR_FL) != 0) return;
  flags |= FS_TOPDIR_FL;
  (void)::ioctl(folder, FS_IOC_SETFLAGS, &flags);
}

SysResult<bool> is_born_after(int folder, const char* name, std::int64_t time_ns) {
  struct ::statx what{};
  if (::statx(folder, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &what) != 0) return fail();
  if ((what.stx_mask & STATX_BTIME) == 0) return false;
  return what.stx_btime.tv_sec * 1'000'000'000LL + what.stx_btime.tv_nsec > time_ns;
}

SysResult<bool> is_opaque(int fd) {
  const auto value = get_attribute(fd, "user.overlay.opaque");
  if (value) return value->starts_with('y');
  if (has_none(value.error().value)) return false;
  return std::unexpected(value.error());
}

}  // namespace sbx::os
