// init's steps that mount new file systems: tmpfs, proc, devpts, mqueue, device nodes, the pty.
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"
#include "base/fixed_text.hpp"
#include "launch/executor.hpp"
#include "os/mount.hpp"
#include "os/pass_descriptors.hpp"
#include "os/pty.hpp"

namespace sbx::launch {

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

StepResult run(const plan::MountProc& step, Context& context) noexcept {
  const os::UniqueFd tree = SBX_TRY(
      os::new_filesystem("proc", {}, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
  // Nobody reaches the folder that this covers, so it stays empty: masks are made of it, at a third
  // of what an empty tmpfs costs.
  context.empty_folder.fd = SBX_TRY(os::open_inside(context.root.get(), relative(step.target)));
  return attach_at(context, tree, step.target);
}

StepResult run(const plan::MountDevpts& step, Context& context) noexcept {
  const os::FsOption options[] = {{"newinstance", nullptr},
                                  {"ptmxmode", "0666"},
                                  {"mode", "0620"},
                                  {"max", "128"}};  // all such mounts share kernel.pty.max
  const os::UniqueFd tree =
      SBX_TRY(os::new_filesystem("devpts", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  return attach_at(context, tree, step.target);
}

StepResult run(const plan::MountQueues& step, Context& context) noexcept {
  // What mq_open(3) and mq_unlink(3) do does not come through this mount.
  const os::UniqueFd tree = SBX_TRY(os::new_filesystem(
      "mqueue", {}, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
  return attach_at(context, tree, step.target);
}

StepResult run(const plan::BindDevice& step, Context& context) noexcept {
  const Place from = SBX_TRY(source_at(context, step.source));
  const os::NamedTree node = SBX_TRY(os::clone_tree_in(from.folder, from.name, false));
  if (!S_ISCHR(node.mode)) return std::unexpected(Errno{ENODEV});
  SBX_CHECK(os::restrict_mount(node.fd.get(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, false));
  return attach_at(context, node.fd, step.target);
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
