// init's step that copies a file or folder of the host into scratch.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"
#include "launch/executor.hpp"
#include "os/copy_file.hpp"
#include "os/copy_tree.hpp"
#include "os/folder.hpp"
#include "os/mount.hpp"

namespace sbx::launch {
namespace {

StepResult copy_folder(const plan::CopyIn& step, int root) noexcept {
  constexpr int kFolder = O_RDONLY | O_DIRECTORY;
  const os::UniqueFd from = SBX_TRY(os::open_inside(root, relative(step.staging), kFolder));
  const os::UniqueFd to = SBX_TRY(os::open_inside(root, relative(step.target), kFolder));
  struct ::stat what{};
  if (::fstat(from.get(), &what) != 0) return fail();
  if (::mkdirat(to.get(), step.links.c_str(), 0700) != 0) return fail();
  const os::UniqueFd links =
      SBX_TRY(os::open_beneath(to.get(), step.links.c_str(), kFolder | O_NOFOLLOW));
  SBX_CHECK(os::copy_tree(from.get(), to.get(), links.get()));
  if (::unlinkat(to.get(), step.links.c_str(), AT_REMOVEDIR) != 0) return fail();
  return os::copy_facts(from.get(), to.get(), what);
}

StepResult copy_file(const plan::CopyIn& step, int root) noexcept {
  const os::UniqueFd from =
      SBX_TRY(os::open_inside(root, relative(step.staging), O_RDONLY | O_NONBLOCK | O_NOCTTY));
  const os::UniqueFd to = SBX_TRY(os::open_inside(root, relative(step.target), O_WRONLY));
  struct ::stat what{};
  if (::fstat(from.get(), &what) != 0) return fail();
  if (!S_ISREG(what.st_mode)) return std::unexpected(Errno{EINVAL});
  SBX_CHECK(os::copy_bytes(from.get(), to.get()));
  return os::copy_facts(from.get(), to.get(), what);
}

}  // namespace

StepResult run(const plan::CopyIn& step, Context& context) noexcept {
  const int root = context.root.get();
  SBX_CHECK(step.folder ? copy_folder(step, root) : copy_file(step, root));
  return detach_at(context, step.staging);
}

}  // namespace sbx::launch
