#include "os/process.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/fail.hpp"

namespace sbx::os {
namespace {

SysResult<void> check(long result) noexcept {
  if (result < 0) return fail();
  return {};
}

struct RlimitName {
  std::string_view name;
  int number;
};
constexpr std::array kRlimits{
    RlimitName{"as", RLIMIT_AS},
    RlimitName{"core", RLIMIT_CORE},
    RlimitName{"cpu", RLIMIT_CPU},
    RlimitName{"data", RLIMIT_DATA},
    RlimitName{"fsize", RLIMIT_FSIZE},
    RlimitName{"locks", RLIMIT_LOCKS},
    RlimitName{"memlock", RLIMIT_MEMLOCK},
    RlimitName{"msgqueue", RLIMIT_MSGQUEUE},
    RlimitName{"nice", RLIMIT_NICE},
    RlimitName{"nofile", RLIMIT_NOFILE},
    RlimitName{"nproc", RLIMIT_NPROC},
    RlimitName{"rss", RLIMIT_RSS},
    RlimitName{"rtprio", RLIMIT_RTPRIO},
    RlimitName{"rttime", RLIMIT_RTTIME},
    RlimitName{"sigpending", RLIMIT_SIGPENDING},
    RlimitName{"stack", RLIMIT_STACK},
};

/// For a clone3 that asks for nothing but a child (and a group) the kernel has no reason to say so.
bool refused_by_filter(int error) noexcept { return error == ENOSYS || error == EPERM; }

/// clone(2) as fork: the stack is copied, and `pidfd` given when asked for (Linux 5.2).
long clone_plain(std::uint64_t flags, int* pidfd) noexcept {
  return ::syscall(SYS_clone, flags | SIGCHLD, nullptr, pidfd, nullptr, nullptr);
}

/// The way without clone3: the child moves itself before it does anything else.
SysResult<Cloned> clone_then_move(int cgroup_fd) noexcept {
  UniqueFd members;
  if (cgroup_fd >= 0) {
    members = UniqueFd(::openat(cgroup_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC));
    if (!members.valid()) return fail();
  }
  int pidfd = -1;
  const long pid = clone_plain(CLONE_PIDFD, &pidfd);
  if (pid < 0) return fail();
  if (pid == 0 && members.valid() && ::write(members.get(), "0", 1) != 1) end_process(errno);
  Cloned cloned;
  cloned.pid = static_cast<pid_t>(pid);
  if (pid != 0) cloned.pidfd = UniqueFd(pidfd);
  return cloned;
}

}  // namespace

SysResult<Cloned> clone_process(std::uint64_t namespaces, int cgroup_fd) noexcept {
  int pidfd = -1;
  struct ::clone_args args{};
  args.flags = namespaces | CLONE_PIDFD;
  args.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
  args.exit_signal = SIGCHLD;
  if (cgroup_fd >= 0) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<std::uint64_t>(cgroup_fd);
  }
  // No glibc wrapper exists; with no stack given the child goes on from here on a copied one.
  const long pid = ::syscall(SYS_clone3, &args, sizeof args);
  if (pid < 0 && refused_by_filter(errno) && namespaces == 0) return clone_then_move(cgroup_fd);
  if (pid < 0) return fail();
  Cloned cloned;
  cloned.pid = static_cast<pid_t>(pid);
  if (pid != 0) cloned.pidfd = UniqueFd(pidfd);
  return cloned;
}

SysResult<pid_t> fork_process(ChildMain child, void* argument) noexcept {
  struct ::clone_args args{};
  args.exit_signal = SIGCHLD;
  long pid = ::syscall(SYS_clone3, &args, sizeof args);
  if (pid < 0 && refused_by_filter(errno)) pid = clone_plain(0, nullptr);
  if (pid < 0) return fail();
  if (pid == 0) child(argument);
  return static_cast<pid_t>(pid);
}

SysResult<pid_t> clone_namespace_holder() noexcept {
  alignas(16) static std::array<char, 4096> stack;
  static pid_t parent;
  parent = ::getpid();
  // Nothing here can fail: errno is the parent's.
  const auto hold = [](void*) noexcept -> int {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    // The parent may have died before that; then nobody would end us.
    while (::getppid() == parent) ::pause();
    return 0;
  };
  const int pid =
      ::clone(+hold, stack.data() + stack.size(), CLONE_VM | CLONE_NEWUSER | SIGCHLD, nullptr);
  if (pid < 0) return fail();
  return pid;
}

SysResult<void> signal_child(pid_t child, int signal) noexcept {
  if (child <= 0) return std::unexpected(Errno{ESRCH});  // 0 and -1 mean others
  if (::kill(child, signal) == 0) return {};
  const Errno refused{errno};
  if (refused.value == ESRCH || refused.value == EINVAL) return std::unexpected(refused);
  // A filter around sbx may refuse kill(2): a limit has to hold all the same.
  const auto pidfd = open_process(child);
  return pidfd ? signal_process(pidfd->get(), signal) : std::unexpected(refused);
}

SysResult<UniqueFd> open_process(pid_t process) noexcept {
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, process, 0U)));
  if (!pidfd.valid()) return fail();
  return pidfd;
}

SysResult<void> signal_process(int pidfd, int signal) noexcept {
  return check(static_cast<int>(::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0U)));
}

SysResult<Ended> wait_for(pid_t pid) noexcept {
  Ended ended;
  long result = -1;
  do {
    result = ::wait4(pid, &ended.wait_status, 0, &ended.usage);
  } while (result < 0 && errno == EINTR);
  if (result < 0) return fail();
  return ended;
}

void end_process(int exit_code) noexcept { ::_exit(exit_code); }

SysResult<void> become_ids(std::uint32_t uid, std::uint32_t gid, bool drop_groups) noexcept {
  // Raw calls: glibc's wrappers would signal threads that do not exist after clone.
  if (drop_groups && ::syscall(SYS_setgroups, 0, nullptr) != 0) return fail();
  if (::syscall(SYS_setresgid, gid, gid, gid) != 0) return fail();
  return check(::syscall(SYS_setresuid, uid, uid, uid));
}

SysResult<void> set_death_signal(int signal) noexcept {
  return check(::prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0));
}

SysResult<void> die_with_parent(pid_t parent) noexcept {
  SBX_CHECK(set_death_signal(SIGKILL));
  if (::getppid() != parent) return std::unexpected(Errno{ESRCH});
  return {};
}

SysResult<void> set_dumpable(bool dumpable) noexcept {
  return check(::prctl(PR_SET_DUMPABLE, dumpable ? 1 : 0, 0, 0, 0));
}

bool is_dumpable() noexcept { return ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1; }

SysResult<void> set_no_new_privs() noexcept {
  return check(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

SysResult<void> new_session(int controlling_tty_fd) noexcept {
  if (::setsid() < 0) return fail();
  if (controlling_tty_fd < 0) return {};
  return check(::ioctl(controlling_tty_fd, TIOCSCTTY, 0));
}

SysResult<void> reset_signals() noexcept {
  struct ::sigaction action{};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) {
    if (signal == SIGKILL || signal == SIGSTOP || (signal >= 32 && signal < SIGRTMIN)) continue;
    if (::sigaction(signal, &action, nullptr) != 0) return fail();
  }
  sigset_t none;
  sigemptyset(&none);
  return check(::sigprocmask(SIG_SETMASK, &none, nullptr));
}

SysResult<void> block_all_signals() noexcept {
  sigset_t all;
  sigfillset(&all);
  return check(::sigprocmask(SIG_SETMASK, &all, nullptr));
}

SysResult<void> cloexec_from(unsigned first) noexcept {
  return check(::close_range(first, ~0U, CLOSE_RANGE_CLOEXEC));
}

SysResult<void> close_from(unsigned first) noexcept { return check(::close_range(first, ~0U, 0)); }

int rlimit_number(std::string_view name) noexcept {
  for (const RlimitName& entry : kRlimits)
    if (entry.name == name) return entry.number;
  return -1;
}

std::optional<std::uint64_t> hard_limit(std::string_view name) noexcept {
  const int number = rlimit_number(name);
  if (number < 0) return std::nullopt;
  struct ::rlimit now{};
  if (::getrlimit(static_cast<__rlimit_resource>(number), &now) != 0 ||
      now.rlim_max == RLIM_INFINITY)
    return std::nullopt;
  return now.rlim_max;
}

SysResult<void> set_rlimit(int resource, std::uint64_t value) noexcept {
  struct ::rlimit now{};
  const auto which = static_cast<__rlimit_resource>(resource);
  if (::getrlimit(which, &now) != 0) return fail();
  // With 0 there is no core file, and yet a program that core_pattern names would be started, as
  // root and outside of every limit, and given the core whole. With 1 it is not (core(5) has it of
  // neither; do_coredump() in fs/coredump.c), and no core is that small.
  if (resource == RLIMIT_CORE && value == 0) value = 1;
  const rlim_t limit = value < now.rlim_max ? static_cast<rlim_t>(value) : now.rlim_max;
  struct ::rlimit wanted{limit, limit};
  // With both alike the kernel sends SIGKILL at once, which tells nobody why: SIGXCPU comes first,
  // and a second later SIGKILL for who ignores it (setrlimit(2)).
  if (resource == RLIMIT_CPU && limit < now.rlim_max) wanted.rlim_max = limit + 1;
  return check(::setrlimit(which, &wanted));
}

SysResult<void> write_proc_file(const char* path, std::string_view text) noexcept {
  const UniqueFd file(::open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return fail();
  const ssize_t written = ::write(file.get(), text.data(), text.size());
  if (written < 0) return fail();
  if (static_cast<std::size_t>(written) != text.size()) return std::unexpected(Errno{EIO});
  return {};
}

}  // namespace sbx::os
