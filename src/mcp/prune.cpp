#include "mcp/prune.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"
#include "os/folder.hpp"
#include "os/remove_tree.hpp"
#include "os/walk_tree.hpp"

namespace sbx::mcp {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

SysResult<void> remove(int folder, const std::string& name) {
  if (::unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR) return fail();
  {
    const os::UniqueFd inner = SBX_TRY(os::open_beneath(folder, name.c_str(), kFolder));
    SBX_CHECK(os::empty_folder(inner.get()));
  }
  if (::unlinkat(folder, name.c_str(), AT_REMOVEDIR) != 0) return fail();
  return {};
}

}  // namespace

// What cannot be looked into cannot be read by a command either, and has no folder for it.
SysResult<void> prune(int folder, const std::function<bool(const std::string&)>& hides) {
  return os::walk_tree(folder, [&](const os::WalkedEntry& entry) -> SysResult<os::Walk> {
    if (!hides(entry.path)) return os::Walk::go;
    SBX_CHECK(remove(entry.folder, entry.name));
    return os::Walk::pass;
  });
}

}  // namespace sbx::mcp
