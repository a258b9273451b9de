// init's steps that mount new file systems: tmpfs, overlay, proc, devpts, device nodes, the pty.
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/fixed_text.hpp"
#include "launch/executor.hpp"
#include "os/mount.hpp"
#include "os/pass_descriptors.hpp"
#include "os/pty.hpp"

namespace sbx::launch {
namespace {

std::unexpected<Errno> fail() noexcept { return std::unexpected(Errno{errno}); }

/// A folder of a mount that goes with the sandbox: who holds it open keeps it.
StepResult hand_over_changes(const Context& context, const os::UniqueFd& changes) noexcept {
  const os::UniqueFd upper(
      ::openat(changes.get(), "upper", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!upper.valid()) return fail();
  const int passed[] = {upper.get()};
  return os::send_descriptors(context.channel, passed);
}

}  // namespace

StepResult run(const plan::MountTmpfs& step, Context& context) noexcept {
  const auto size = FixedText<24>().add(step.size);
  const auto inodes = FixedText<24>().add(step.inodes);
  const auto mode = FixedText<24>().add(step.mode, 8);
  const os::FsOption options[] = {
      {"size", size.c_str()}, {"nr_inodes", inodes.c_str()}, {"mode", mode.c_str()}};
  const os::UniqueFd tree =
      SBX_TRY(os::new_filesystem("tmpfs", options, mount_attributes(step.flags)));
  return attach_at(context, tree, step.target);
}

StepResult run(const plan::MountOverlay& step, Context& context) noexcept {
  // Layer paths are looked up from the working directory, so that no string has to be made and no
  // name on the host's tree can be meant (kernel: Documentation/filesystems/overlayfs.rst).
  const os::UniqueFd staging = SBX_TRY(os::open_inside(context.root.get(), relative(step.staging)));
  if (::fchdir(staging.get()) != 0) return fail();
  const auto size = FixedText<24>().add(step.size);
  // Names cost memory too, also where no cgroup counts it: one for each KiB, as many as files of
  // ordinary trees need.
  const auto inodes = FixedText<24>().add(step.size >> 10U);
  const os::FsOption bound[] = {
      {"size", size.c_str()}, {"nr_inodes", inodes.c_str()}, {"mode", "0700"}};
  const os::UniqueFd changes =
      SBX_TRY(os::new_filesystem("tmpfs", bound, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  const os::UniqueFd upper_at = SBX_TRY(os::open_inside(staging.get(), "changes"));
  SBX_CHECK(os::attach_tree(changes.get(), upper_at.get(), ""));
  if (::mkdirat(changes.get(), "upper", 0755) != 0) return fail();
  if (::mkdirat(changes.get(), "work", 0700) != 0) return fail();
  // userxattr: trusted.* attributes are out of reach in a user namespace (Linux 5.11).
  const os::FsOption layers[] = {{"lowerdir", "lower"},
                                 {"upperdir", "changes/upper"},
                                 {"workdir", "changes/work"},
                                 {"userxattr", nullptr}};
  const os::UniqueFd merged =
      SBX_TRY(os::new_filesystem("overlay", layers, mount_attributes(step.flags)));
  SBX_CHECK(attach_at(context, merged, step.target));
  // overlayfs holds private clones of its layers; ours would only show the payload what lies below.
  if (step.hand_over) SBX_CHECK(hand_over_changes(context, changes));
  if (::umount2("lower", MNT_DETACH | UMOUNT_NOFOLLOW) != 0) return fail();
  if (::umount2("changes", MNT_DETACH | UMOUNT_NOFOLLOW) != 0) return fail();
  return {};
}

StepResult run(const plan::MountProc& step, Context& context) noexcept {
  const os::UniqueFd tree = SBX_TRY(
      os::new_filesystem("proc", {}, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
  // Nobody reaches the folder that this covers, so it stays empty: masks are made of it, at a third
  // of what an empty tmpfs costs.
  context.empty_folder = SBX_TRY(os::open_inside(context.root.get(), relative(step.target)));
  return attach_at(context, tree, step.target);
}

StepResult run(const plan::MountDevpts& step, Context& context) noexcept {
  const os::FsOption options[] = {{"newinstance", nullptr}, {"ptmxmode", "0666"}, {"mode", "0620"}};
  const os::UniqueFd tree =
      SBX_TRY(os::new_filesystem("devpts", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  return attach_at(context, tree, step.target);
}

StepResult run(const plan::BindDevice& step, Context& context) noexcept {
  const os::UniqueFd source = SBX_TRY(os::open_path_strict(step.source.c_str()));
  struct ::stat node{};
  if (::fstat(source.get(), &node) != 0) return fail();
  if (!S_ISCHR(node.st_mode)) return std::unexpected(Errno{ENODEV});
  const os::UniqueFd tree = SBX_TRY(os::clone_tree(source.get(), false));
  SBX_CHECK(os::restrict_mount(tree.get(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, false));
  return attach_at(context, tree, step.target);
}

StepResult run(const plan::OpenPty& step, Context& context) noexcept {
  const os::UniqueFd master(::open(step.multiplexer, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!master.valid()) return fail();
  const int unlock = 0;
  if (::ioctl(master.get(), TIOCSPTLCK, &unlock) != 0) return fail();
  // TIOCGPTPEER opens the slave of this very master: no name to swap (Linux 4.13, ioctl_tty(2)).
  context.pty_slave =
      os::UniqueFd(::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!context.pty_slave.valid()) return fail();
  // The caller's size at once: the payload may ask before the supervisor could set it. Our standard
  // streams are still the caller's here.
  int terminal = -1;
  for (int fd = STDERR_FILENO; fd >= STDIN_FILENO; --fd)
    if (::isatty(fd) == 1) terminal = fd;
  os::copy_window_size(terminal, master.get());
  const int passed[] = {master.get()};
  return os::send_descriptors(context.channel, passed);
}

}  // namespace sbx::launch
