// Attacks on the mount tree, by the old calls and the new. Raw numbers: the C library of the build
// host may be older than the calls.
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "verdict.hpp"

namespace probe {
namespace {

constexpr int kDetach = 2;  // MNT_DETACH; <sys/mount.h> and <linux/mount.h> do not mix

long mount_call(const char* source, const char* target, const char* type, unsigned long flags) {
  return syscall(SYS_mount, source, target, type, flags, nullptr);
}

Verdict mount_tmpfs(Args args) {
  return in_child([&] {
    return judge(mount_call("none", args[0], "tmpfs", 0), std::string("mount tmpfs on ") + args[0]);
  });
}

Verdict mount_kind(Args args) {
  return in_child([&] {
    return judge(mount_call("none", args[1], args[0], 0), std::string("mount ") + args[0]);
  });
}

Verdict bind(Args args) {
  return in_child(
      [&] { return judge(mount_call(args[0], args[1], nullptr, MS_BIND), "bind mount"); });
}

Verdict unmount(Args args) {
  return in_child([&] {
    return judge(syscall(SYS_umount2, args[0], kDetach), std::string("umount ") + args[0]);
  });
}

/// A read-only mount made writable again, by each call that can.
Verdict remount_writable(Args args) {
  return in_child([&] {
    if (mount_call(nullptr, args[0], nullptr, MS_REMOUNT | MS_BIND) == 0) return escaped("remount");
    const int error = errno;
    mount_attr attr{};
    attr.attr_clr = MOUNT_ATTR_RDONLY;
    if (syscall(SYS_mount_setattr, AT_FDCWD, args[0], 0, &attr, sizeof attr) == 0) {
      return escaped("mount_setattr");
    }
    return contained(std::string("remount ") + args[0], error);
  });
}

Verdict set_attributes(Args args) {
  return in_child([&] {
    mount_attr attr{};
    attr.attr_set = MOUNT_ATTR_NOATIME;
    attr.attr_clr = MOUNT_ATTR__ATIME;
    return judge(syscall(SYS_mount_setattr, AT_FDCWD, args[0], 0, &attr, sizeof attr),
                 "mount_setattr");
  });
}

/// The directory must be a mount point, which /tmp is.
Verdict change_root(Args args) {
  return in_child([&] {
    if (chdir(args[0]) != 0) return untestable(std::string("chdir ") + args[0], errno);
    return judge(syscall(SYS_pivot_root, ".", "."), "pivot_root");
  });
}

Verdict change_root_of_process(Args args) {
  return in_child([&] { return judge(chroot(args[0]), std::string("chroot ") + args[0]); });
}

Verdict new_filesystem(Args /*args*/) {
  return in_child([] { return judge(syscall(SYS_fsopen, "tmpfs", 0), "fsopen"); });
}

Verdict clone_tree(Args args) {
  return in_child([&] {
    return judge(syscall(SYS_open_tree, AT_FDCWD, args[0], OPEN_TREE_CLONE), "open_tree");
  });
}

Verdict pick_filesystem(Args args) {
  return in_child([&] { return judge(syscall(SYS_fspick, AT_FDCWD, args[0], 0), "fspick"); });
}

Verdict move_tree(Args args) {
  return in_child([&] {
    return judge(syscall(SYS_move_mount, AT_FDCWD, args[0], AT_FDCWD, args[1], 0), "move_mount");
  });
}

constexpr Verb kVerbs[] = {
    {"mount-tmpfs", "DIR", 1, mount_tmpfs},
    {"mount-kind", "TYPE DIR", 2, mount_kind},
    {"bind", "FROM TO", 2, bind},
    {"umount", "DIR", 1, unmount},
    {"remount-writable", "DIR", 1, remount_writable},
    {"mount-setattr", "DIR", 1, set_attributes},
    {"pivot-root", "DIR", 1, change_root},
    {"chroot", "DIR", 1, change_root_of_process},
    {"fsopen", "", 0, new_filesystem},
    {"open-tree", "DIR", 1, clone_tree},
    {"fspick", "DIR", 1, pick_filesystem},
    {"move-mount", "FROM TO", 2, move_tree},
};

}  // namespace

std::span<const Verb> mount_verbs() { return kVerbs; }

}  // namespace probe
