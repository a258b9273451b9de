#include "root.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mounts.h"
#include "must.h"

#define PRIVATE (1UL << 18)  // MS_PRIVATE
static const char* const kTmp[][2] = {{"size", "64m"}, {"mode", "1777"}, {NULL, NULL}};

static void show_host(int root) {
  static const char* const dirs[] = {"usr",  "etc", "etc/ssl", "etc/alternatives",
                                     "proc", "tmp", "dev",     "workspace"};
  static const char* const links[][2] = {
      {"usr/bin", "bin"}, {"usr/sbin", "sbin"}, {"usr/lib", "lib"}, {"usr/lib64", "lib64"}};
  for (size_t i = 0; i < sizeof dirs / sizeof *dirs; ++i) MUST(mkdirat(root, dirs[i], 0755));
  for (size_t i = 0; i < sizeof links / sizeof *links; ++i)
    MUST(symlinkat(links[i][0], root, links[i][1]));
  make_file(root, "etc/passwd", "sandbox:x:1000:1000::/tmp:/bin/sh\n");
  make_file(root, "etc/group", "sandbox:x:1000:\n");
  make_file(root, "etc/hosts", "127.0.0.1 localhost sandbox\n");
  make_file(root, "etc/nsswitch.conf", "hosts: files dns\n");
  make_file(root, "etc/ld.so.cache", "");
  bind_path(AT_FDCWD, "/usr", root, "usr", kReadOnlyMount);
  bind_path(AT_FDCWD, "/etc/ssl", root, "etc/ssl", kReadOnlyMount);
  bind_path(AT_FDCWD, "/etc/alternatives", root, "etc/alternatives", kReadOnlyMount);
  bind_path(AT_FDCWD, "/etc/ld.so.cache", root, "etc/ld.so.cache", kReadOnlyMount);
  bind_path(AT_FDCWD, ".", root, "workspace", kReadOnlyMount);
}

static void make_whole_dev(int root) {
  static const char* const pts[][2] = {{"ptmxmode", "0666"}, {"mode", "0620"}, {NULL, NULL}};
  const int dev = make_dev(root, 6);
  MUST(symlinkat("pts/ptmx", dev, "ptmx"));
  MUST(mkdirat(dev, "shm", 0755));
  MUST(mkdirat(dev, "pts", 0755));
  attach(fs_mount("tmpfs", kTmp, kPlainMount), dev, "shm");
  attach(fs_mount("devpts", pts, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC), dev, "pts");
}

static void make_proc(int root) {
  attach(fs_mount("proc", NULL, kPlainMount | MOUNT_ATTR_NOEXEC), root, "proc");
}

static void mask_proc(int root) {
  static const char* const masked[] = {"proc/kcore", "proc/keys", "proc/timer_list",
                                       "proc/kallsyms"};
  static const char* const kept[] = {"proc/sys", "proc/sysrq-trigger", "proc/irq", "proc/bus",
                                     "proc/fs"};
  for (size_t i = 0; i < sizeof masked / sizeof *masked; ++i) {
    if (faccessat(root, masked[i], F_OK, 0) == 0)
      bind_path(AT_FDCWD, "/dev/null", root, masked[i], MOUNT_ATTR_RDONLY);
  }
  for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i)
    bind_path(root, kept[i], root, kept[i], kReadOnlyMount);
}

void enter_composed_root(void) {
  static const char* const top[][2] = {{"size", "1m"}, {"mode", "0755"}, {NULL, NULL}};
  struct mount_attr private_tree = {.propagation = PRIVATE};
  MUST(syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &private_tree, sizeof private_tree));
  const int root = (int)fs_mount("tmpfs", top, kPlainMount);
  attach(root, AT_FDCWD, "/");
  show_host(root);
  attach(fs_mount("tmpfs", kTmp, kPlainMount), root, "tmp");
  make_whole_dev(root);
  make_proc(root);
  mask_proc(root);
  struct mount_attr sealed = {.attr_set = MOUNT_ATTR_RDONLY};
  MUST(syscall(SYS_mount_setattr, root, "", AT_EMPTY_PATH, &sealed, sizeof sealed));
  enter_root(root);
  MUST(chdir("/workspace"));
}

void enter_bare_root(void) {
  // A copy of / alone is refused to a new user namespace: what is mounted below comes along.
  const int root = (int)copy_tree(AT_FDCWD, "/", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, PRIVATE);
  attach(root, AT_FDCWD, "/");
  attach(fs_mount("tmpfs", kTmp, kPlainMount), root, "tmp");
  make_dev(root, 5);
  make_proc(root);
  enter_root(root);
  MUST(chdir("/"));
}
