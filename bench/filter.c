// The filter of the yardstick: an allowlist as a binary search over ranges of numbers, with the
// argument rules before it. bench/run gives bubblewrap the same one.
#include "filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

// Numbers refused out of those that the table knows; the rest is allowed.
static const int kRefused[] = {
    __NR_ptrace,
    __NR_syslog,
    __NR_personality,
    __NR_modify_ldt,
    __NR_pivot_root,
    __NR_adjtimex,
    __NR_chroot,
    __NR_acct,
    __NR_settimeofday,
    __NR_mount,
    __NR_umount2,
    __NR_swapon,
    __NR_swapoff,
    __NR_reboot,
    __NR_sethostname,
    __NR_setdomainname,
    __NR_iopl,
    __NR_ioperm,
    __NR_create_module,
    __NR_init_module,
    __NR_delete_module,
    __NR_get_kernel_syms,
    __NR_query_module,
    __NR_quotactl,
    __NR_nfsservctl,
    __NR_uselib,
    __NR_ustat,
    __NR_sysfs,
    __NR__sysctl,
    __NR_vhangup,
    __NR_clock_settime,
    __NR_clock_adjtime,
    __NR_kexec_load,
    __NR_add_key,
    __NR_request_key,
    __NR_keyctl,
    __NR_migrate_pages,
    __NR_move_pages,
    __NR_unshare,
    __NR_perf_event_open,
    __NR_fanotify_init,
    __NR_fanotify_mark,
    __NR_open_by_handle_at,
    __NR_setns,
    __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_kcmp,
    __NR_finit_module,
    __NR_kexec_file_load,
    __NR_bpf,
    __NR_userfaultfd,
    __NR_io_uring_setup,
    __NR_io_uring_enter,
    __NR_io_uring_register,
    __NR_open_tree,
    __NR_move_mount,
    __NR_fsopen,
    __NR_fsconfig,
    __NR_fsmount,
    __NR_fspick,
    __NR_clone3,
    __NR_pidfd_getfd,
    __NR_process_madvise,
    __NR_mount_setattr,
    __NR_lookup_dcookie,
};
enum { kOldEnd = 335, kNewStart = 424, kNewEnd = 450, kMaxEdges = 256, kMaxCode = 1024 };

static struct sock_filter code[kMaxCode];
static unsigned short code_length;
static int edges[kMaxEdges];  // the verdict changes at each edge; below the first it is "refused"
static int edge_count;

static void put(uint16_t op, uint8_t yes, uint8_t no, uint32_t k) {
  code[code_length++] = (struct sock_filter){op, yes, no, k};
}

int is_allowed(int number) {
  if (number < 0 || (number >= kOldEnd && number < kNewStart) || number >= kNewEnd) return 0;
  for (size_t i = 0; i < sizeof kRefused / sizeof *kRefused; ++i) {
    if (kRefused[i] == number) return 0;
  }
  return 1;
}

// Decides between the intervals first..last (interval i lies below edge i): 2 * n - 1 instructions.
static void put_search(int first, int last) {
  if (first == last) {
    put(BPF_RET | BPF_K, 0, 0, first % 2 ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EPERM);
    return;
  }
  const int middle = (first + last) / 2;
  const int left_length = 2 * (middle - first + 1) - 1;
  if (left_length > 255) abort();
  put(BPF_JMP | BPF_JGE | BPF_K, (uint8_t)left_length, 0, (uint32_t)edges[middle]);
  put_search(first, middle);
  put_search(middle + 1, last);
}

// `number` with any of `bits` set in the low word of argument `index` is refused.
static void put_argument_rule(uint32_t number, unsigned index, uint16_t test, uint32_t bits) {
  put(BPF_JMP | BPF_JEQ | BPF_K, 0, 4, number);
  put(BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * index));
  put(BPF_JMP | test | BPF_K, 0, 1, bits);
  put(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM);
  put(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
}

struct sock_fprog build_filter(void) {
  put(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch));
  put(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AUDIT_ARCH_X86_64);
  put(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS);
  put(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
  put(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, __NR_clone3);  // so that libraries fall back to clone
  put(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS);
  put_argument_rule(__NR_clone, 0, BPF_JSET,
                    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                        CLONE_NEWUTS | CLONE_NEWCGROUP);
  put_argument_rule(__NR_ioctl, 1, BPF_JEQ, TIOCSTI);
  put_argument_rule(__NR_ioctl, 1, BPF_JEQ, TIOCLINUX);
  for (int number = 0; number <= kNewEnd; ++number) {
    if (is_allowed(number) != is_allowed(number - 1)) edges[edge_count++] = number;
  }
  put_search(0, edge_count);
  return (struct sock_fprog){code_length, code};
}
