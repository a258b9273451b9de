#include "os/walk_tree.hpp"

#include <fcntl.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "os/folder.hpp"

namespace sbx::os {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
constexpr std::size_t kDeepest = 500;  // each has a descriptor

struct Level {
  UniqueFd folder;
  std::string path;
  std::vector<std::string> names;
};

SysResult<void> enter(std::vector<Level>& levels, UniqueFd folder, std::string path) {
  std::vector<std::string> names = SBX_TRY(list_names(folder.get()));
  levels.push_back({std::move(folder), std::move(path), std::move(names)});
  return {};
}

}  // namespace

SysResult<void> walk_tree(int folder, const Visit& visit, const NotEntered& not_entered) {
  std::vector<Level> levels;
  UniqueFd top = SBX_TRY(open_beneath(folder, ".", kFolder));
  SBX_CHECK(enter(levels, std::move(top), ""));
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.names.empty()) {
      levels.pop_back();
      continue;
    }
    const std::string name = std::move(level.names.back());
    level.names.pop_back();
    const std::string path = level.path.empty() ? name : level.path + "/" + name;
    const WalkedEntry entry{level.folder.get(), name, path};
    const Walk what = SBX_TRY(visit(entry));
    if (what == Walk::stop) return {};
    if (what == Walk::pass) continue;
    auto inner = levels.size() < kDeepest ? open_to_visit(level.folder.get(), name.c_str())
                                          : SysResult<UniqueFd>(std::unexpected(Errno{ELOOP}));
    if (inner)
      SBX_CHECK(enter(levels, std::move(*inner), path));
    else if (not_entered)
      not_entered(entry, inner.error());
  }
  return {};
}

}  // namespace sbx::os
