// init's step that shows the workspace with writes going elsewhere: by overlayfs, or by a copy
// where that is refused and the profile lets a copy stand in.
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"
#include "launch/executor.hpp"
#include "os/copy_tree.hpp"
#include "os/mount.hpp"
#include "os/pass_descriptors.hpp"

namespace sbx::launch {
namespace {

// Folders of the tmpfs: the layer below, those that take the writes of overlayfs, which may have
// left something in them when it refuses, and those of a copy.
constexpr const char* kLower = "lower";
constexpr const char* kUpper = "upper";
constexpr const char* kWork = "work";
constexpr const char* kCopy = "copy";
constexpr const char* kLinks = "links";

SysResult<os::UniqueFd> open_folder(const char* name) noexcept {
  os::UniqueFd folder(::open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid()) return fail();
  return folder;
}

/// Layer paths are looked up from the working directory, which is the tmpfs, so that no string has
/// to be made and no name on the host's tree can be meant (kernel:
/// Documentation/filesystems/overlayfs.rst).
SysResult<os::UniqueFd> make_overlay(const plan::MountOverlay& step) noexcept {
  if (::mkdir(kUpper, 0755) != 0) return fail();
  if (::mkdir(kWork, 0700) != 0) return fail();
  // userxattr: trusted.* attributes are out of reach in a user namespace (Linux 5.11).
  const os::FsOption layers[] = {
      {"lowerdir", kLower}, {"upperdir", kUpper}, {"workdir", kWork}, {"userxattr", nullptr}};
  return os::new_filesystem("overlay", layers, mount_attributes(step.flags));
}

/// A mount of the folder that the copy is in.
SysResult<os::UniqueFd> make_copy(const plan::MountOverlay& step) noexcept {
  const os::UniqueFd lower = SBX_TRY(open_folder(kLower));
  if (::mkdir(kCopy, 0755) != 0) return fail();
  if (::mkdir(kLinks, 0700) != 0) return fail();
  const os::UniqueFd copy = SBX_TRY(open_folder(kCopy));
  const os::UniqueFd links = SBX_TRY(open_folder(kLinks));
  SBX_CHECK(os::copy_tree(lower.get(), copy.get(), links.get()));
  os::UniqueFd shown = SBX_TRY(os::clone_tree(copy.get(), false));
  SBX_CHECK(os::restrict_mount(shown.get(), mount_attributes(step.flags), false));
  return shown;
}

/// A folder of a mount that goes with the sandbox: who holds it open keeps it.
StepResult hand_over_changes(const Context& context, const char* name) noexcept {
  const os::UniqueFd folder = SBX_TRY(open_folder(name));
  const int passed[] = {folder.get()};
  return os::send_descriptors(context.channel, passed);
}

}  // namespace

StepResult run(const plan::MountOverlay& step, Context& context) noexcept {
  const os::UniqueFd staging = SBX_TRY(os::open_inside(context.root.get(), relative(step.staging)));
  if (::fchdir(staging.get()) != 0) return fail();
  auto shown = make_overlay(step);
  const bool copies = !shown && step.or_copy;
  if (copies) {
    shown = make_copy(step);
    context.page->copied.fetch_or(step.hand_over ? kCopiedKept : kCopiedOther);
  }
  if (!shown) return std::unexpected(shown.error());
  SBX_CHECK(attach_at(context, *shown, step.target));
  if (step.hand_over) SBX_CHECK(hand_over_changes(context, copies ? kCopy : kUpper));
  // overlayfs holds private clones of its layers; ours would only show the payload what lies below.
  return detach_at(context, step.staging);
}

}  // namespace sbx::launch
