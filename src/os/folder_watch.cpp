#include "os/folder_watch.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/fail.hpp"
#include "base/fixed_text.hpp"
#include "os/mount.hpp"

namespace sbx::os {
namespace {

constexpr int kRounds = 16;

}  // namespace

SysResult<void> FolderWatch::add(const std::string& path) {
  if (!notify_.valid()) notify_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!notify_.valid()) return fail();
  UniqueFd folder = SBX_TRY(open_path_strict(path.c_str()));
  // By the descriptor, so that it is the very folder that is looked into later.
  const auto again = FixedText<32>().add("/proc/self/fd/").add(folder.get());
  const int watch =
      ::inotify_add_watch(notify_.get(), again.c_str(), IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
  if (watch < 0) return fail();
  folders_.push_back(std::move(folder));
  watches_.push_back(watch);
  return {};
}

void FolderWatch::read(const std::function<void(std::size_t, const char*)>& told) {
  alignas(struct ::inotify_event) char buffer[16384];
  // The rest keeps it readable: who makes files without end does not hold us here.
  for (int round = 0; round < kRounds; ++round) {
    const ssize_t size = ::read(notify_.get(), buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const struct ::inotify_event*>(buffer + at);
      at += static_cast<ssize_t>(sizeof *event + event->len);
      if ((event->mask & IN_Q_OVERFLOW) != 0) {
        told(0, "");
        continue;
      }
      const auto watch = std::ranges::find(watches_, event->wd);
      if (watch != watches_.end() && event->len != 0)
        told(static_cast<std::size_t>(watch - watches_.begin()), event->name);
    }
  }
}

std::optional<std::uint64_t> FolderWatch::inode(std::size_t folder, const std::string& name) const {
  struct ::stat facts{};
  if (::fstatat(folders_[folder].get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0)
    return facts.st_ino;
  return errno == ENOENT ? std::nullopt : std::optional<std::uint64_t>(0);
}

SysResult<void> FolderWatch::remove(std::size_t folder, const std::string& name) const {
  const int at = folders_[folder].get();
  if (::unlinkat(at, name.c_str(), 0) == 0) return {};
  if (errno == EISDIR && ::unlinkat(at, name.c_str(), AT_REMOVEDIR) == 0) return {};
  return fail();
}

}  // namespace sbx::os
