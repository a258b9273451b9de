// A process that stands still before a system call of its choice, so that what others do at that
// moment is no matter of luck.
#pragma once

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace sbx::test {

class AtCall {
 public:
  /// Does `work` in a child, up to its first call of `number`.
  template <class Work>
  AtCall(std::uint64_t number, const Work& work) : pid_(::fork()) {
    if (pid_ == 0) {
      ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      (void)::raise(SIGSTOP);
      work();
      ::_exit(0);
    }
    REQUIRE(await_stop());
    REQUIRE(::ptrace(PTRACE_SETOPTIONS, pid_, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) ==
            0);
    do {
      REQUIRE(::ptrace(PTRACE_SYSCALL, pid_, nullptr, nullptr) == 0);
      REQUIRE(await_stop());
    } while (!is_before(number));
  }
  AtCall(const AtCall&) = delete;
  AtCall& operator=(const AtCall&) = delete;
  ~AtCall() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  /// To the end of its work; true: it came that far.
  bool go_on() {
    int status = 0;
    const bool continued = ::ptrace(PTRACE_DETACH, pid_, nullptr, nullptr) == 0;
    return continued && ::waitpid(std::exchange(pid_, 0), &status, 0) > 0 && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
  }

 private:
  [[nodiscard]] bool await_stop() const {
    int status = 0;
    return ::waitpid(pid_, &status, 0) == pid_ && WIFSTOPPED(status);
  }
  [[nodiscard]] bool is_before(std::uint64_t number) const {
    __ptrace_syscall_info info{};
    const long size = ::ptrace(PTRACE_GET_SYSCALL_INFO, pid_, sizeof info, &info);
    return size > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == number;
  }

  pid_t pid_;
};

}  // namespace sbx::test
