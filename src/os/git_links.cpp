#include "os/git_links.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string_view>

#include "os/fd.hpp"
#include "os/mount.hpp"

namespace sbx::os {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxEntries = 200'000;
constexpr std::array<std::string_view, 6> kLeftOut{"hooks",   "lfs",      "annex",
                                                   "modules", "branches", "remotes"};

constexpr std::array<std::string_view, 4> kLooked{"objects/info", "objects/info/commit-graphs",
                                                  "objects/pack",
                                                  "objects/pack/multi-pack-index.d"};

bool is_left_out(std::string_view path) {
  if (std::ranges::find(kLeftOut, path) != kLeftOut.end()) return true;
  // What is in its folders is content, which git puts there under another name first; they
  // themselves could be another repository's. In these it writes through lock files, for which it
  // follows links (lockfile.c, resolve_symlink()).
  if (path.starts_with("objects/")) return std::ranges::find(kLooked, path) == kLooked.end();
  // worktrees/NAME/modules
  return path.starts_with("worktrees/") && path.ends_with("/modules") &&
         std::ranges::count(path, '/') == 2;
}

struct Walk {
  GitLinks found{};
  bool remove = false;
  std::size_t entries = 0;

  void folder(UniqueFd opened, const std::string& path, int depth) {
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(opened.get()), &::closedir);
    if (!listing || depth > kMaxDepth) {
      found.whole = false;
      return;
    }
    (void)opened.release();  // the listing's now
    for (;;) {
      errno = 0;
      const ::dirent* const next = ::readdir(listing.get());
      if (next == nullptr) {
        found.whole = found.whole && errno == 0;
        return;
      }
      const std::string_view name = next->d_name;
      if (name == "." || name == "..") continue;
      if (++entries > kMaxEntries) found.whole = false;
      if (!found.whole) return;
      const std::string inner = path.empty() ? std::string(name) : path + '/' + std::string(name);
      entry(::dirfd(listing.get()), next->d_name, inner, depth);
    }
  }

  void entry(int at, const char* name, const std::string& path, int depth) {
    struct ::stat facts{};
    if (::fstatat(at, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      found.whole = found.whole && errno == ENOENT;
    } else if (S_ISLNK(facts.st_mode)) {
      const bool gone = !remove || ::unlinkat(at, name, 0) == 0;
      (gone ? found.paths : found.left).push_back(path);
    } else if (S_ISDIR(facts.st_mode) && !is_left_out(path)) {
      UniqueFd inner(::openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (inner.valid())
        folder(std::move(inner), path, depth + 1);
      else
        found.whole = found.whole && errno == ENOENT;
    }
  }
};

}  // namespace

GitLinks find_git_links(const std::string& path, bool remove) {
  Walk walk{.remove = remove};
  const auto named = open_path_strict(path.c_str());
  UniqueFd top(named ? ::openat(named->get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
  if (top.valid())
    walk.folder(std::move(top), "", 0);
  else
    walk.found.whole = false;
  return std::move(walk.found);
}

}  // namespace sbx::os
