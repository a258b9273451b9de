// workspace.git: protect. What no mount can keep: names that do not exist yet, and files that
// somebody on the host replaces, which takes the mounts on them away (namespaces(7) says nothing of
// it; fs/namei.c, vfs_rename(): detach_mounts()). Either ends the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "os/folder_watch.hpp"
#include "plan/plan.hpp"
#include "supervise/poll_set.hpp"

namespace sbx::supervise {

class PlaceWatch {
 public:
  /// Before the payload may run. Errors: a folder is gone, what must not exist does, or the kernel
  /// has no watch left.
  Result<void> start(std::span<const plan::WatchedPlace> places);
  void watch(PollSet& set);
  /// One sentence, once: what has happened.
  std::optional<std::string> broken(const PollSet& set);
  /// When nobody writes any more: what has come into being after all, and is removed.
  struct Removed {
    std::string path;
    int error = 0;        ///< it is still there
    bool hidden = false;  ///< or so it may be: its folder cannot be looked into
  };
  std::vector<Removed> clean() const;

 private:
  struct Place {
    std::size_t folder;
    const plan::WatchedPlace* what;
    std::optional<std::uint64_t> inode{};  ///< at the start
  };
  [[nodiscard]] static std::string text_of(const plan::WatchedPlace& place);

  os::FolderWatch folders_;
  std::vector<Place> places_;
  std::size_t index_ = kNotPolled;
};

/// "'/repo/.git/commondir' came into being, ...": for the result.
std::string came_into_being(const std::string& path);

/// The same of a name that nobody can look for: its folder has been closed.
std::string cannot_be_seen(const std::string& path);

}  // namespace sbx::supervise
