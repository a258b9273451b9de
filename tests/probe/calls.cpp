// `call NAME`: system calls that the sandbox should not let through at all. Each is made with
// arguments that do no harm where it is let through, so control runs are safe, also as root.
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

#include "verdict.hpp"

namespace probe {
namespace {

long io_uring() {
  io_uring_params params{};
  return syscall(SYS_io_uring_setup, 1, &params);
}

long bpf() {
  bpf_attr attr{};
  attr.map_type = BPF_MAP_TYPE_ARRAY;
  attr.key_size = 4;
  attr.value_size = 4;
  attr.max_entries = 1;
  return syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof attr);
}

long perf_event() {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

long userfaultfd() { return syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY | O_CLOEXEC); }
long keyctl() { return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_PROCESS_KEYRING, 1); }
long add_key() {
  return syscall(SYS_add_key, "user", "sbx-probe", "x", 1, KEY_SPEC_PROCESS_KEYRING);
}
long request_key() { return syscall(SYS_request_key, "user", "sbx-none", nullptr, 0); }
long trace_me() { return ptrace(PTRACE_TRACEME, 0, 0, 0); }
long kcmp() { return syscall(SYS_kcmp, getpid(), getpid(), 0, 0, 1); }
long no_randomisation() { return personality(ADDR_NO_RANDOMIZE); }
long system_log() { return syscall(SYS_syslog, 10 /* size of the buffer */, nullptr, 0); }
long read_own_memory() {
  char from = 'x', to = 0;
  const iovec here{&to, 1}, there{&from, 1};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0);
}
long write_own_memory() {
  char from = 'x', to = 0;
  const iovec here{&from, 1}, there{&to, 1};
  return process_vm_writev(getpid(), &here, 1, &there, 1, 0);
}
long own_descriptor() {
  const long pidfd = syscall(SYS_pidfd_open, getpid(), 0);
  return pidfd < 0 ? pidfd : syscall(SYS_pidfd_getfd, pidfd, 0, 0);
}

// Privileged ones: nonsense arguments come after the permission check, so that root gets EINVAL,
// EFAULT or ENOENT and nothing happens.
long load_module() { return syscall(SYS_init_module, nullptr, 0, ""); }
long load_module_file() { return syscall(SYS_finit_module, -1, "", 0); }
long unload_module() { return syscall(SYS_delete_module, "sbx-no-such-module", O_NONBLOCK); }
long reboot() { return syscall(SYS_reboot, 0, 0, 0, nullptr); }
long load_kernel() { return syscall(SYS_kexec_load, 0, 0, nullptr, ~0UL); }
long swap_on() { return syscall(SYS_swapon, "/sbx/no/such/file", 0); }
long accounting() { return syscall(SYS_acct, "/sbx/no/such/file"); }
long watch_filesystem() { return syscall(SYS_fanotify_init, 0, O_RDONLY); }
long quota() {
  return syscall(SYS_quotactl, 0x80000100 /* Q_SYNC | USRQUOTA */, nullptr, 0, nullptr);
}
long adjust_clock() {
  timex request{};
  request.modes = ADJ_TICK;  // and a tick of 0, which is out of range: EINVAL for who may set it
  return syscall(SYS_adjtimex, &request);
}

#if defined(__x86_64__)  // what no other machine has
long modify_ldt() {
  char table[16];
  return syscall(SYS_modify_ldt, 0, table, sizeof table);
}
long io_privilege() { return syscall(SYS_iopl, 3); }
long io_ports() { return syscall(SYS_ioperm, 0x80, 1, 1); }
#endif

constexpr struct {
  const char* name;
  long (*make)();
} kCalls[] = {
    {"io_uring_setup", io_uring},
    {"bpf", bpf},
    {"perf_event_open", perf_event},
    {"userfaultfd", userfaultfd},
    {"keyctl", keyctl},
    {"add_key", add_key},
    {"request_key", request_key},
    {"ptrace", trace_me},
    {"kcmp", kcmp},
    {"personality", no_randomisation},
    {"syslog", system_log},
    {"process_vm_readv", read_own_memory},
    {"process_vm_writev", write_own_memory},
    {"pidfd_getfd", own_descriptor},
    {"init_module", load_module},
    {"finit_module", load_module_file},
    {"delete_module", unload_module},
    {"reboot", reboot},
    {"kexec_load", load_kernel},
    {"swapon", swap_on},
    {"acct", accounting},
    {"fanotify_init", watch_filesystem},
    {"quotactl", quota},
    {"adjtimex", adjust_clock},
#if defined(__x86_64__)
    {"modify_ldt", modify_ldt},
    {"iopl", io_privilege},
    {"ioperm", io_ports},
#endif
};

Verdict call(Args args) {
  for (const auto& one : kCalls) {
    if (std::strcmp(one.name, args[0]) == 0) {
      return in_child([&] { return judge_reached(one.make(), one.name); });
    }
  }
  return untestable(std::string("no call named ") + args[0]);
}

constexpr Verb kVerbs[] = {{"call", "NAME", 1, call}};

}  // namespace

std::span<const Verb> call_verbs() { return kVerbs; }

}  // namespace probe
