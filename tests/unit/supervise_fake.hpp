// A sandbox that is none: a process group of the host under /bin/sh, behind the interface that the
// supervisor drives. It ends, is signalled and is killed like the real one.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>

#include "os/pty.hpp"
#include "supervise/clock.hpp"
#include "supervise/live_sandbox.hpp"

namespace sbx::supervise::testing {

class FakeSandbox final : public LiveSandbox {
 public:
  FakeSandbox(pid_t pid, os::UniqueFd master)
      : pid_(pid),
        pidfd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))),
        master_(std::move(master)),
        exec_(static_cast<std::uint64_t>(now_ns())) {}
  FakeSandbox(const FakeSandbox&) = delete;
  FakeSandbox& operator=(const FakeSandbox&) = delete;
  FakeSandbox(FakeSandbox&&) = delete;
  FakeSandbox& operator=(FakeSandbox&&) = delete;
  ~FakeSandbox() override {
    if (pid_ <= 0) return;
    kill_tree();
    ::waitpid(pid_, nullptr, 0);
  }

  int pidfd() const override { return pidfd_.get(); }
  int end_fd() const override { return end; }
  pid_t init_pid() const override { return pid_; }
  os::UniqueFd take_pty_master() override { return std::move(master_); }
  os::UniqueFd take_listener() override { return {}; }
  os::UniqueFd take_changes() override { return {}; }
  launch::Copied copied() const override { return {}; }
  os::UniqueFd take_root() override { return {}; }
  std::optional<os::GatewaySockets> take_gateway() override { return std::nullopt; }
  std::optional<std::uint32_t> reserved_id() const override { return std::nullopt; }
  int exec_errno() const override { return 0; }
  bool payload_ended() const override { return empty; }
  bool is_empty() const override { return empty; }
  void signal_payload(int signal) const override {
    ::kill(-pid_, signal == SIGTSTP ? SIGSTOP : signal);
  }
  SysResult<void> pause() const override {
    signal_payload(SIGSTOP);
    return {};
  }
  SysResult<void> resume() const override {
    signal_payload(SIGCONT);
    return {};
  }
  void kill_tree() const override { ::kill(-pid_, SIGKILL); }
  std::optional<int> reap(int& init_wait_status) override {
    int status = 0;
    ::wait4(pid_, &status, 0, &usage_);
    // Whoever the payload left behind ends with it, as in a pid namespace.
    ::kill(-pid_, SIGKILL);
    init_wait_status = 0;
    pid_ = 0;
    return status;
  }
  std::optional<Error> failure(const plan::Plan& /*plan*/) const override { return std::nullopt; }
  int cgroup_fd(std::string_view /*controller*/) const override { return group; }
  int cgroup_version(std::string_view /*controller*/) const override { return group_version; }
  std::uint64_t exec_time_ns() const override { return exec_; }
  const struct ::rusage& tree_usage() const override { return usage_; }

  /// What a test says of the end of all its runs.
  static inline int end = -1;
  static inline bool empty = false;
  /// The folder of a test's own that stands for all cgroups of its runs.
  static inline int group = -1;
  static inline int group_version = 0;

 private:
  pid_t pid_;
  os::UniqueFd pidfd_;
  os::UniqueFd master_;
  std::uint64_t exec_;
  struct ::rusage usage_{};
};

struct FakePty {
  os::UniqueFd master{};
  os::UniqueFd slave{};
};

inline FakePty open_fake_pty() {
  FakePty pty;
  pty.master.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ::grantpt(pty.master.get());
  ::unlockpt(pty.master.get());
  os::copy_window_size(-1, pty.master.get());  // as init does, before anybody can ask
  pty.slave.reset(::ioctl(pty.master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  return pty;
}

/// Runs plan.argv.front() as a script.
inline Result<std::unique_ptr<LiveSandbox>> fake_launch(const plan::Plan& plan,
                                                        const launch::StdioFds& stdio,
                                                        int /*interrupt_fd*/,
                                                        const launch::Meanwhile& meanwhile) {
  SBX_CHECK(meanwhile.rest());
  FakePty pty;
  if (plan.supervision.tty) pty = open_fake_pty();
  const std::string script = plan.argv.front();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setsid();
    int fds[] = {stdio.in, stdio.out, stdio.err};
    if (plan.supervision.tty) {
      ::ioctl(pty.slave.get(), TIOCSCTTY, 0);
      fds[0] = fds[1] = fds[2] = pty.slave.get();
    }
    // Above 2 first: one of them may stand where another one has to go.
    for (int& fd : fds) fd = ::fcntl(fd, F_DUPFD_CLOEXEC, 10);
    for (int i = 0; i < 3; ++i) ::dup2(fds[i], i);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::signal(SIGXFSZ, SIG_DFL);
    ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    ::_exit(127);
  }
  if (pid < 0)
    return std::unexpected(Error{.kind = ErrorKind::setup, .what = "fork", .sys_errno = errno});
  return std::make_unique<FakeSandbox>(pid, std::move(pty.master));
}

}  // namespace sbx::supervise::testing
