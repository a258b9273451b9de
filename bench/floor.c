// floor: the least this kernel can do for the isolation that sbx gives by default. A yardstick for
// bench/run and nothing else: no profile, no checks, no messages. The steps are those of
// sbx's plan, in its order, each as one call where the kernel has one.
//
//   floor --filter FILE                      only writes the seccomp filter
//   floor [--groups FILE] -- CMD [ARG...]    with --groups: in cgroups, too (groups.h)
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "filter.h"
#include "groups.h"

enum { kInnerId = 1000, kHostIdOfRoot = 1879113727 };
#define DETACH 2  // MNT_DETACH: <sys/mount.h> and <linux/mount.h> do not mix

// A step that fails ends the run with its line: for a yardstick that is message enough.
#define MUST(call)                                                     \
  do {                                                                 \
    if ((call) < 0) {                                                  \
      dprintf(2, "floor: %s:%d: %s: %m\n", __FILE__, __LINE__, #call); \
      _exit(125);                                                      \
    }                                                                  \
  } while (0)

// ---- the mounts
// ----------------------------------------------------------------------------------

static long fs_mount(const char* type, const char* const options[][2], unsigned attributes) {
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

static void attach(long tree, int at, const char* path) {
  MUST(syscall(SYS_move_mount, (int)tree, "", at, path, MOVE_MOUNT_F_EMPTY_PATH));
}

static void bind_path(int from, const char* source, int at, const char* path, uint64_t attributes) {
  const long tree =
      syscall(SYS_open_tree, from, source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
  if (tree < 0 && errno == ENOENT) return;  // not every host has every file
  MUST(tree);
  struct mount_attr attr = {.attr_set = attributes};
  MUST(syscall(SYS_mount_setattr, (int)tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof attr));
  attach(tree, at, path);
  close((int)tree);
}

static void write_text(int at, const char* path, const char* text) {
  const int fd = openat(at, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  MUST(fd);
  MUST(write(fd, text, strlen(text)));
  close(fd);
}

enum { kPlain = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, kReadOnly = kPlain | MOUNT_ATTR_RDONLY };

static void make_root(int root) {
  static const char* const dirs[] = {"usr",  "etc", "etc/ssl", "etc/alternatives",
                                     "proc", "tmp", "dev",     "workspace"};
  static const char* const links[][2] = {
      {"usr/bin", "bin"}, {"usr/sbin", "sbin"}, {"usr/lib", "lib"}, {"usr/lib64", "lib64"}};
  for (size_t i = 0; i < sizeof dirs / sizeof *dirs; ++i) MUST(mkdirat(root, dirs[i], 0755));
  for (size_t i = 0; i < sizeof links / sizeof *links; ++i)
    MUST(symlinkat(links[i][0], root, links[i][1]));
  write_text(root, "etc/passwd", "sandbox:x:1000:1000::/tmp:/bin/sh\n");
  write_text(root, "etc/group", "sandbox:x:1000:\n");
  write_text(root, "etc/hosts", "127.0.0.1 localhost sandbox\n");
  write_text(root, "etc/nsswitch.conf", "hosts: files dns\n");
  write_text(root, "etc/ld.so.cache", "");
  bind_path(AT_FDCWD, "/usr", root, "usr", kReadOnly);
  bind_path(AT_FDCWD, "/etc/ssl", root, "etc/ssl", kReadOnly);
  bind_path(AT_FDCWD, "/etc/alternatives", root, "etc/alternatives", kReadOnly);
  bind_path(AT_FDCWD, "/etc/ld.so.cache", root, "etc/ld.so.cache", kReadOnly);
  bind_path(AT_FDCWD, ".", root, "workspace", kReadOnly);
}

static void make_dev(int root) {
  static const char* const nodes[] = {"null", "zero", "full", "random", "urandom", "tty"};
  static const char* const links[][2] = {{"/proc/self/fd", "fd"},
                                         {"/proc/self/fd/0", "stdin"},
                                         {"/proc/self/fd/1", "stdout"},
                                         {"/proc/self/fd/2", "stderr"},
                                         {"pts/ptmx", "ptmx"}};
  static const char* const options[][2] = {{"size", "64k"}, {"mode", "0755"}, {NULL, NULL}};
  static const char* const shm[][2] = {{"size", "64m"}, {"mode", "1777"}, {NULL, NULL}};
  static const char* const pts[][2] = {{"ptmxmode", "0666"}, {"mode", "0620"}, {NULL, NULL}};
  const int dev = (int)fs_mount("tmpfs", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
  attach(dev, root, "dev");
  for (size_t i = 0; i < sizeof nodes / sizeof *nodes; ++i) {
    char path[32];
    snprintf(path, sizeof path, "/dev/%s", nodes[i]);
    write_text(dev, nodes[i], "");
    bind_path(AT_FDCWD, path, dev, nodes[i], MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
  }
  for (size_t i = 0; i < sizeof links / sizeof *links; ++i)
    MUST(symlinkat(links[i][0], dev, links[i][1]));
  MUST(mkdirat(dev, "shm", 0755));
  MUST(mkdirat(dev, "pts", 0755));
  attach(fs_mount("tmpfs", shm, kPlain), dev, "shm");
  attach(fs_mount("devpts", pts, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC), dev, "pts");
}

static void make_proc(int root) {
  static const char* const masked[] = {"proc/kcore", "proc/keys", "proc/timer_list",
                                       "proc/kallsyms"};
  static const char* const kept[] = {"proc/sys", "proc/sysrq-trigger", "proc/irq", "proc/bus",
                                     "proc/fs"};
  attach(fs_mount("proc", NULL, kPlain | MOUNT_ATTR_NOEXEC), root, "proc");
  for (size_t i = 0; i < sizeof masked / sizeof *masked; ++i) {
    if (faccessat(root, masked[i], F_OK, 0) == 0)
      bind_path(AT_FDCWD, "/dev/null", root, masked[i], MOUNT_ATTR_RDONLY);
  }
  for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i)
    bind_path(root, kept[i], root, kept[i], kReadOnly);
}

static void change_root(void) {
  static const char* const top[][2] = {{"size", "1m"}, {"mode", "0755"}, {NULL, NULL}};
  static const char* const tmp[][2] = {{"size", "64m"}, {"mode", "1777"}, {NULL, NULL}};
  struct mount_attr private_tree = {.propagation = 1UL << 18 /* MS_PRIVATE */};
  MUST(syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &private_tree, sizeof private_tree));
  const int root = (int)fs_mount("tmpfs", top, kPlain);
  attach(root, AT_FDCWD, "/");
  make_root(root);
  attach(fs_mount("tmpfs", tmp, kPlain), root, "tmp");
  make_dev(root);
  make_proc(root);
  struct mount_attr sealed = {.attr_set = MOUNT_ATTR_RDONLY};
  MUST(syscall(SYS_mount_setattr, root, "", AT_EMPTY_PATH, &sealed, sizeof sealed));
  MUST(fchdir(root));
  MUST(syscall(SYS_pivot_root, ".", "."));
  MUST(syscall(SYS_umount2, ".", DETACH));
  close(root);
}

// ---- init and the payload
// ------------------------------------------------------------------------

static void raise_loopback(void) {
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  MUST(fd);
  MUST(ioctl(fd, SIOCSIFFLAGS, &request));
  close(fd);
}

static void drop_capabilities(void) {
  for (int cap = 0; prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0; ++cap) continue;
  MUST(prctl(PR_SET_SECUREBITS,
             SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                 SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                 SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
             0, 0, 0));
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  const struct __user_cap_data_struct none[2] = {{0}};
  MUST(syscall(SYS_capset, &header, none));
}

static void run_payload(const struct sock_fprog* filter, char** argv) {
  static char* const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp", NULL};
  setsid();
  MUST(chdir("/workspace"));
  MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  drop_capabilities();
  MUST((int)syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC));
  MUST(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, filter));
  execve(argv[0], argv, environment);
  _exit(errno == ENOENT ? 127 : 126);
}

static int as_exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void run_init(int parent, const struct sock_fprog* filter, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  char byte;
  if (read(parent, &byte, 1) != 1) _exit(125);  // the ids are mapped
  MUST(setresgid(kInnerId, kInnerId, kInnerId));
  MUST(setresuid(kInnerId, kInnerId, kInnerId));
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the change of user has cleared it
  MUST(sethostname("sandbox", 7));
  raise_loopback();
  write_text(AT_FDCWD, "/proc/sys/user/max_user_namespaces", "0");
  change_root();
  join_v1_groups(parent);
  close(parent);
  const pid_t payload = fork();
  MUST(payload);
  if (payload == 0) run_payload(filter, argv);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  drop_capabilities();
  int status;
  while (waitpid(-1, &status, 0) != payload) continue;
  _exit(as_exit_code(status));
}

static void write_map(pid_t pid, const char* name, const char* text) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  write_text(AT_FDCWD, path, text);
}

int main(int argc, char** argv) {
  const struct sock_fprog filter = build_filter();
  if (argc == 3 && strcmp(argv[1], "--filter") == 0) {
    const int fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    MUST(fd);
    MUST(write(fd, filter.filter, filter.len * sizeof *filter.filter));
    return 0;
  }
  if (argc > 3 && strcmp(argv[1], "--groups") == 0) {
    read_groups(argv[2]);
    argv += 2;
    argc -= 2;
  }
  if (argc < 3 || strcmp(argv[1], "--") != 0) return 125;
  int pair[2];
  MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair));
  struct clone_args clone = {.flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET |
                                      CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP,
                             .exit_signal = SIGCHLD};
  const int group = make_v2_group();
  if (group >= 0) {
    clone.flags |= CLONE_INTO_CGROUP;
    clone.cgroup = (uint64_t)group;
  }
  const pid_t init = (pid_t)syscall(SYS_clone3, &clone, sizeof clone);
  MUST(init);
  if (init == 0) {
    close(pair[1]);
    run_init(pair[0], &filter, argv + 2);
  }
  char map[64];
  const int root = geteuid() == 0;
  snprintf(map, sizeof map, "%d %u 1\n", kInnerId, root ? kHostIdOfRoot : geteuid());
  write_map(init, "uid_map", map);
  snprintf(map, sizeof map, "%d %u 1\n", kInnerId, root ? kHostIdOfRoot : getegid());
  write_map(init, "setgroups", "deny");
  write_map(init, "gid_map", map);
  MUST(write(pair[1], "", 1));
  send_v1_groups(pair[1]);
  int status;
  MUST(waitpid(init, &status, 0));
  remove_groups();
  return as_exit_code(status);
}
