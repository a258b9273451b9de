#include "images/store_sweep.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "images/unpack.hpp"
#include "os/folder.hpp"
#include "os/remove_tree.hpp"

namespace sbx::images {
namespace {

constexpr ::time_t kUnused = ::time_t{30} * 24 * 3600;

bool is_old(int folder) {
  struct ::stat what{};
  return ::fstatat(folder, kImageFile, &what, AT_SYMLINK_NOFOLLOW) == 0 &&
         what.st_mtim.tv_sec + kUnused < ::time(nullptr);
}

/// Locked; nothing when somebody fills it, or has it mounted, who holds its lock.
os::UniqueFd open_unused(int store, const std::string& name) {
  os::UniqueFd folder = open_inner(store, name);
  if (folder.valid() && (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0 ||
                         !os::is_named(store, name.c_str(), folder.get())))
    folder.reset();
  return folder;
}

}  // namespace

os::UniqueFd open_inner(int store, const std::string& name) {
  return os::UniqueFd(
      ::openat(store, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

void sweep_unfinished(int store) {
  const auto names = os::list_names(store);
  if (!names) return;
  for (const std::string& name : *names) {
    if (!name.starts_with('.')) continue;
    if (const os::UniqueFd folder = open_unused(store, name); folder.valid())
      os::remove_folder(store, folder.get(), name.c_str());
  }
}

void sweep(int store) {
  sweep_unfinished(store);
  const auto names = os::list_names(store);
  if (!names) return;
  for (const std::string& name : *names) {
    if (name.starts_with('.')) continue;
    const os::UniqueFd folder = open_unused(store, name);
    if (!folder.valid() || !is_old(folder.get())) continue;
    // A name with a dot first: what is half removed is no image any more.
    const std::string gone = "." + name;
    if (::renameat(store, name.c_str(), store, gone.c_str()) == 0)
      os::remove_folder(store, folder.get(), gone.c_str());
  }
  for (const std::string& name : *names) {
    struct ::stat what{};
    if (name.starts_with("at-") && ::fstatat(store, name.c_str(), &what, 0) != 0)
      ::unlinkat(store, name.c_str(), 0);
  }
}

}  // namespace sbx::images
