#include "mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "must.h"

#define DETACH 2  // MNT_DETACH: <sys/mount.h> and <linux/mount.h> do not mix

_Static_assert(kReadOnlyMount == (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY), "");

long fs_mount(const char* type, const char* const options[][2], unsigned attributes) {
  const long context = syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
  MUST(context);
  for (; options && (*options)[0]; ++options) {
    MUST(syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, (*options)[0], (*options)[1], 0));
  }
  MUST(syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0));
  const long mounted = syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, attributes);
  MUST(mounted);
  close((int)context);
  return mounted;
}

void attach(long tree, int at, const char* path) {
  MUST(syscall(SYS_move_mount, (int)tree, "", at, path, MOVE_MOUNT_F_EMPTY_PATH));
}

long copy_tree(int from, const char* source, uint64_t attributes, uint64_t propagation) {
  const long tree =
      syscall(SYS_open_tree, from, source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
  if (tree < 0 && errno == ENOENT) return -1;  // not every host has every file
  MUST(tree);
  struct mount_attr attr = {.attr_set = attributes, .propagation = propagation};
  MUST(syscall(SYS_mount_setattr, (int)tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof attr));
  return tree;
}

void bind_path(int from, const char* source, int at, const char* path, uint64_t attributes) {
  const long tree = copy_tree(from, source, attributes, 0);
  if (tree < 0) return;
  attach(tree, at, path);
  close((int)tree);
}

int make_dev(int root, int count) {
  static const char* const nodes[] = {"null", "zero", "full", "random", "urandom", "tty"};
  static const char* const links[][2] = {{"/proc/self/fd", "fd"},
                                         {"/proc/self/fd/0", "stdin"},
                                         {"/proc/self/fd/1", "stdout"},
                                         {"/proc/self/fd/2", "stderr"}};
  static const char* const options[][2] = {{"size", "64k"}, {"mode", "0755"}, {NULL, NULL}};
  const int dev = (int)fs_mount("tmpfs", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
  attach(dev, root, "dev");
  for (int i = 0; i < count; ++i) {
    char path[32];
    snprintf(path, sizeof path, "/dev/%s", nodes[i]);
    make_file(dev, nodes[i], "");
    bind_path(AT_FDCWD, path, dev, nodes[i], MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
  }
  for (size_t i = 0; i < sizeof links / sizeof *links; ++i)
    MUST(symlinkat(links[i][0], dev, links[i][1]));
  return dev;
}

void make_file(int at, const char* path, const char* text) {
  const int fd = openat(at, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  MUST(fd);
  if (*text) MUST(write(fd, text, strlen(text)));
  close(fd);
}

void enter_root(int root) {
  MUST(fchdir(root));
  MUST(syscall(SYS_pivot_root, ".", "."));
  MUST(syscall(SYS_umount2, ".", DETACH));
  close(root);
}
