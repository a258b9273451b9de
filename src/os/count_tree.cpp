#include "os/count_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "os/walk_tree.hpp"

namespace sbx::os {
namespace {

constexpr std::uint64_t kBlock = 512;  // of st_blocks

}  // namespace

std::uint64_t bytes_of(const struct ::stat& what) {
  if (!S_ISREG(what.st_mode)) return 0;
  return std::min(static_cast<std::uint64_t>(what.st_size),
                  static_cast<std::uint64_t>(what.st_blocks) * kBlock);
}

SysResult<TreeSize> count_tree(int folder, const TreeSize& most) {
  TreeSize size;
  const auto count = [&](const WalkedEntry& entry) -> SysResult<Walk> {
    ++size.entries;
    struct ::stat what{};
    if (::fstatat(entry.folder, entry.name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0)
      return Walk::pass;
    size.bytes += bytes_of(what);
    if (size.bytes > most.bytes || size.entries > most.entries) return Walk::stop;
    return S_ISDIR(what.st_mode) ? Walk::go : Walk::pass;
  };
  const auto close = [&](const WalkedEntry& entry, Errno why) {
    // Gone meanwhile, or another mount: nothing in it is ours to count.
    if (why.value != ENOENT && why.value != EXDEV && size.closed.empty()) size.closed = entry.path;
  };
  SBX_CHECK(walk_tree(folder, count, close));
  return size;
}

}  // namespace sbx::os
