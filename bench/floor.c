// floor: the least this kernel can do for the isolation that sbx gives. A yardstick for bench/run
// and nothing else: no profile, no checks, no messages; each step is one call where the kernel has
// one.
//
//   floor [--groups FILE] -- CMD [ARG...]    the dearer steps of sbx's default plan, in its order:
//                                            composed root (root.h), ids mapped by the parent,
//                                            loopback, and with --groups cgroups (groups.h)
//   floor --bare -- CMD [ARG...]             less of the same kind: the host's root read-only, own
//                                            ids mapped by the child itself, loopback left down
//   floor --filter FILE                      only writes the seccomp filter
//   floor --allowed                          only prints the numbers that it allows
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "filter.h"
#include "groups.h"
#include "must.h"
#include "root.h"

enum { kInnerId = 1000, kHostIdOfRoot = 1879113727 };
static const uint64_t kNamespaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET |
                                    CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

struct id_map {
  char users[64], groups[64];
};

static void write_text(const char* path, const char* text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  MUST(fd);
  MUST(write(fd, text, strlen(text)));
  close(fd);
}

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

// ---- the payload, and init, which waits for it

static void execute(const struct sock_fprog* filter, char** argv) {
  static char* const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp", NULL};
  MUST(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, filter));
  execve(argv[0], argv, environment);
  _exit(errno == ENOENT ? 127 : 126);
}

static int as_exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void reap_until(pid_t payload) {
  int status;
  while (waitpid(-1, &status, 0) != payload) continue;
  _exit(as_exit_code(status));
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
  write_text("/proc/sys/user/max_user_namespaces", "0");
  enter_composed_root();
  join_v1_groups(parent);
  close(parent);
  const pid_t payload = fork();
  MUST(payload);
  if (payload == 0) {
    setsid();
    MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    drop_capabilities();
    MUST((int)syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC));
    execute(filter, argv);
  }
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  drop_capabilities();
  reap_until(payload);
}

static void run_bare_init(const struct id_map* map, const struct sock_fprog* filter, char** argv) {
  write_text("/proc/self/uid_map", map->users);
  write_text("/proc/self/setgroups", "deny");
  write_text("/proc/self/gid_map", map->groups);
  enter_bare_root();
  MUST(sethostname("sandbox", 7));
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  drop_capabilities();  // once: the payload inherits it
  const pid_t payload = fork();
  MUST(payload);
  if (payload == 0) execute(filter, argv);
  reap_until(payload);
}

// ---- the parent

static pid_t start(struct clone_args* clone) {
  clone->flags |= kNamespaces;
  clone->exit_signal = SIGCHLD;
  const pid_t pid = (pid_t)syscall(SYS_clone3, clone, sizeof *clone);
  MUST(pid);
  return pid;
}

static struct id_map map_ids(unsigned user, unsigned group) {
  struct id_map map;
  snprintf(map.users, sizeof map.users, "%d %u 1\n", kInnerId, user);
  snprintf(map.groups, sizeof map.groups, "%d %u 1\n", kInnerId, group);
  return map;
}

static void write_proc(pid_t pid, const char* name, const char* text) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  write_text(path, text);
}

static int wait_for(pid_t pid) {
  int status;
  MUST(waitpid(pid, &status, 0));
  return as_exit_code(status);
}

static int run_bare(const struct sock_fprog* filter, char** argv) {
  const struct id_map map = map_ids(geteuid(), getegid());
  struct clone_args clone = {0};
  const pid_t init = start(&clone);
  if (init == 0) run_bare_init(&map, filter, argv);
  return wait_for(init);
}

static int run(const struct sock_fprog* filter, char** argv) {
  const int root = geteuid() == 0;
  const struct id_map map =
      map_ids(root ? kHostIdOfRoot : geteuid(), root ? kHostIdOfRoot : getegid());
  int pair[2];
  MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair));
  struct clone_args clone = {0};
  const int group = make_v2_group();
  if (group >= 0) {
    clone.flags |= CLONE_INTO_CGROUP;
    clone.cgroup = (uint64_t)group;
  }
  const pid_t init = start(&clone);
  if (init == 0) {
    close(pair[1]);
    run_init(pair[0], filter, argv);
  }
  write_proc(init, "uid_map", map.users);
  write_proc(init, "setgroups", "deny");
  write_proc(init, "gid_map", map.groups);
  MUST(write(pair[1], "", 1));
  send_v1_groups(pair[1]);
  const int code = wait_for(init);
  remove_groups();
  return code;
}

static int write_filter(const struct sock_fprog* filter, const char* path) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  MUST(fd);
  MUST(write(fd, filter->filter, filter->len * sizeof *filter->filter));
  return 0;
}

static int print_allowed(void) {
  for (int number = 0; number < 1024; ++number)
    if (is_allowed(number)) printf("%d\n", number);
  return 0;
}

int main(int argc, char** argv) {
  const struct sock_fprog filter = build_filter();
  if (argc == 3 && strcmp(argv[1], "--filter") == 0) return write_filter(&filter, argv[2]);
  if (argc == 2 && strcmp(argv[1], "--allowed") == 0) return print_allowed();
  const int bare = argc > 2 && strcmp(argv[1], "--bare") == 0;
  if (bare) ++argv, --argc;
  if (argc > 3 && strcmp(argv[1], "--groups") == 0) {
    read_groups(argv[2]);
    argv += 2, argc -= 2;
  }
  if (argc < 3 || strcmp(argv[1], "--") != 0) return 125;
  return bare ? run_bare(&filter, argv + 2) : run(&filter, argv + 2);
}
