// Attacks on init (pid 1 inside): looking into it, tracing it, stealing from it, crippling it.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>

#include "verdict.hpp"

namespace probe {
namespace {

/// Every /proc entry of init that shows or changes what init holds (CVE-2019-5736, CVE-2016-8659).
/// argv[0] is the process to look at, so that a control run can take a process of its own.
Verdict inspect(Args args) {
  const std::string base = std::string("/proc/") + args[0] + "/";
  static constexpr struct {
    const char* name;
    int flags;
  } kEntries[] = {
      {"exe", O_RDONLY},  {"exe", O_WRONLY}, {"root/", O_RDONLY},  {"cwd/", O_RDONLY},
      {"mem", O_RDONLY},  {"mem", O_RDWR},   {"maps", O_RDONLY},   {"environ", O_RDONLY},
      {"auxv", O_RDONLY}, {"fd", O_RDONLY},  {"fdinfo", O_RDONLY}, {"map_files", O_RDONLY},
  };
  std::string opened;
  int error = 0;
  for (const auto& entry : kEntries) {
    const int fd = open((base + entry.name).c_str(), entry.flags | O_CLOEXEC);
    if (fd >= 0 || errno == ETXTBSY) {
      opened += std::string(" ") + entry.name + (entry.flags != O_RDONLY ? "(write)" : "");
    } else {
      error = errno;
    }
    if (fd >= 0) close(fd);
  }
  char target[256];
  if (readlink((base + "exe").c_str(), target, sizeof target) > 0) opened += " exe(link)";
  if (readlink((base + "ns/user").c_str(), target, sizeof target) > 0) opened += " ns(link)";
  return opened.empty() ? contained("entries of the process", error) : escaped("opened" + opened);
}

Verdict trace(Args args) {
  const pid_t target = std::atoi(args[0]);
  return in_child([target] {
    const long result = ptrace(PTRACE_SEIZE, target, 0, 0);
    Verdict verdict = judge(result, "PTRACE_SEIZE");
    if (result == 0) ptrace(PTRACE_DETACH, target, 0, 0);
    return verdict;
  });
}

/// The address need not be mapped: EFAULT comes after the permission check.
Verdict read_memory(Args args) {
  const pid_t target = std::atoi(args[0]);
  return in_child([target] {
    char byte = 0;
    const iovec here{&byte, 1};
    const iovec there{reinterpret_cast<void*>(0x10000), 1};
    const long result = process_vm_readv(target, &here, 1, &there, 1, 0);
    if (result < 0 && errno == EFAULT) return escaped("process_vm_readv was permitted");
    return judge(result, "process_vm_readv");
  });
}

Verdict steal_descriptor(Args args) {
  const pid_t target = std::atoi(args[0]);
  return in_child([target] {
    const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, target, 0));
    if (pidfd < 0) return contained("pidfd_open", errno);
    int error = 0;
    for (int fd = 0; fd < 64; ++fd) {
      if (syscall(SYS_pidfd_getfd, pidfd, fd, 0) >= 0) {
        return escaped("took descriptor " + std::to_string(fd));
      }
      // EBADF means that the permission check was passed.
      if (errno == EBADF) return escaped("pidfd_getfd was permitted");
      error = errno;
    }
    return contained("pidfd_getfd", error);
  });
}

/// init has the payload's user id, and only the filter keeps this from it: makes init as weak as it
/// can; the test asks whether the run still ends as it should.
Verdict cripple(Args args) {
  constexpr pid_t kInit = 1;
  const rlimit none{0, 0};
  for (int resource = 0; resource < RLIM_NLIMITS; ++resource) {
    // RLIMIT_CPU 0 is one of them: the kernel then sends init a SIGKILL at its next tick.
    (void)!prlimit(kInit, static_cast<__rlimit_resource>(resource), &none, nullptr);
  }
  (void)!setpriority(PRIO_PROCESS, kInit, 19);
  const sched_param idle{};
  (void)!sched_setscheduler(kInit, SCHED_IDLE, &idle);
  for (const int signal : {SIGSTOP, SIGTSTP, SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGSEGV, SIGKILL}) {
    (void)!kill(kInit, signal);
  }
  if (std::strcmp(args[0], "stay") == 0) {
    for (;;) pause();
  }
  return contained("init was made as weak as it can be");
}

/// Sets a limit of init to what it is: the permission is the same as for a lower one.
Verdict limit(Args args) {
  rlimit current{};
  if (getrlimit(RLIMIT_NOFILE, &current) != 0) return untestable("getrlimit", errno);
  return judge(prlimit(std::atoi(args[0]), RLIMIT_NOFILE, &current, nullptr), "prlimit");
}

/// Schedules init as it is: the permission is the same as for worse. On a processor that all others
/// keep busy it would not get to end the run.
Verdict schedule(Args args) {
  const pid_t pid = std::atoi(args[0]);
  const sched_param none{};
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  if (sched_setscheduler(pid, SCHED_OTHER, &none) == 0) return escaped("sched_setscheduler");
  if (sched_setparam(pid, &none) == 0) return escaped("sched_setparam");
  if (sched_setaffinity(pid, sizeof all, &all) == 0) return escaped("sched_setaffinity");
  if (setpriority(PRIO_PGRP, pid, 0) == 0) return escaped("setpriority, the group");
  return judge(setpriority(PRIO_PROCESS, pid, 0), "setpriority");
}

/// pid 1 of a pid namespace shrugs off every signal it has no handler for, SIGKILL included.
Verdict kill_init(Args /*args*/) {
  if (getpid() > 100) return untestable("this is no pid namespace of our own");
  for (const int signal : {SIGTERM, SIGINT, SIGSEGV, SIGSTOP, SIGKILL}) (void)!kill(1, signal);
  const timespec wait{0, 200'000'000};
  nanosleep(&wait, nullptr);
  // Had init died, the kernel would have killed us in that time.
  return contained("init lives on");
}

constexpr Verb kVerbs[] = {
    {"inspect", "PID", 1, inspect},
    {"trace", "PID", 1, trace},
    {"read-memory", "PID", 1, read_memory},
    {"steal-descriptor", "PID", 1, steal_descriptor},
    {"limit", "PID", 1, limit},
    {"schedule", "PID", 1, schedule},
    {"cripple-init", "stay|end", 1, cripple},
    {"kill-init", "", 0, kill_init},
};

}  // namespace

bool await_settled_init() {
  const std::string none = "CapPrm:\t0000000000000000";
  for (int tries = 0; tries < 5000; ++tries) {
    std::ifstream status("/proc/1/status");
    for (std::string line; std::getline(status, line);)
      if (line == none) return true;
    usleep(1000);
  }
  return false;
}

std::span<const Verb> init_verbs() { return kVerbs; }

}  // namespace probe
