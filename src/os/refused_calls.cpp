#include "os/refused_calls.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "os/attempt.hpp"
#include "os/pipe.hpp"

namespace sbx::os {
namespace {

constexpr long kNobody = -1;     // a descriptor, pid or id that is none
constexpr long kNonsense = ~0L;  // flags that do not exist

/// A call that changes nothing, and what the kernel answers.
struct Harmless {
  const char* name;
  long number;
  std::array<long, 5> arguments;
  int answer;           ///< errno; 0: it succeeds
  bool rights = false;  ///< without CAP_SYS_ADMIN the kernel's answer is EPERM
};

// In the order in which a start makes them. The answers are those of argument checks that stand at
// the top of each call in the kernel (fs/namespace.c, kernel/fork.c, kernel/nsproxy.c ...).
constexpr std::array kCalls{
    Harmless{"close_range", SYS_close_range, {1, 0, 0}, EINVAL},
    Harmless{"openat2", SYS_openat2, {AT_FDCWD, 0, 0, 0}, EINVAL},
    Harmless{"pipe2", SYS_pipe2, {0, kNonsense}, EINVAL},
    Harmless{"signalfd4", SYS_signalfd4, {kNobody, 0, 0, 0}, EINVAL},
    Harmless{"socket", SYS_socket, {AF_UNIX, kNonsense, 0}, EINVAL},
    Harmless{"clone3", SYS_clone3, {0, 0}, EINVAL},
    Harmless{"clone", SYS_clone, {CLONE_NEWUSER | CLONE_FS, 0, 0, 0, 0}, EINVAL},
    Harmless{"unshare", SYS_unshare, {CLONE_NEWUSER | CLONE_NEWNS | 1, 0}, EINVAL},
    Harmless{"setns", SYS_setns, {kNobody, 0}, EBADF},
    Harmless{"sethostname", SYS_sethostname, {0, kNobody}, EINVAL, true},
    Harmless{"open_tree", SYS_open_tree, {kNobody, 0, kNonsense}, EINVAL},
    Harmless{"move_mount", SYS_move_mount, {kNobody, 0, kNobody, 0, kNonsense}, EINVAL, true},
    Harmless{"mount_setattr", SYS_mount_setattr, {kNobody, 0, kNonsense, 0, 0}, EINVAL},
    Harmless{"fsopen", SYS_fsopen, {0, kNonsense}, EINVAL, true},
    Harmless{"fsconfig", SYS_fsconfig, {kNobody, 0, 0, 0, 0}, EINVAL},
    Harmless{"fsmount", SYS_fsmount, {kNobody, kNonsense, 0}, EINVAL, true},
    Harmless{"umount2", SYS_umount2, {0, kNonsense}, EINVAL},
    Harmless{"pivot_root", SYS_pivot_root, {0, 0}, EFAULT, true},
    Harmless{"setsid", SYS_setsid, {}, 0},
    Harmless{"prlimit64", SYS_prlimit64, {0, kNonsense, 0, 0}, EINVAL},
    Harmless{"setresgid", SYS_setresgid, {kNobody, kNobody, kNobody}, 0},
    Harmless{"setresuid", SYS_setresuid, {kNobody, kNobody, kNobody}, 0},
    Harmless{"prctl", SYS_prctl, {kNobody, 0, 0, 0, 0}, EINVAL},
    Harmless{"capset", SYS_capset, {0, 0}, EFAULT},
    Harmless{"seccomp", SYS_seccomp, {kNonsense, 0, 0}, EINVAL},
};

/// What the child tells of one call; bytes, because an errno fits into one.
struct Answer {
  std::uint8_t index;
  std::uint8_t error;
};

int ask(const Harmless& call) noexcept {
  const auto& a = call.arguments;
  return ::syscall(call.number, a[0], a[1], a[2], a[3], a[4]) < 0 ? errno : 0;
}

struct Asking {
  std::size_t first;
  int report;
};

int ask_all(void* argument) noexcept {
  const auto& asking = *static_cast<Asking*>(argument);
  for (std::size_t i = asking.first; i < kCalls.size(); ++i) {
    const Answer answer{static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(ask(kCalls[i]))};
    if (::write(asking.report, &answer, sizeof answer) != sizeof answer) return EPIPE;
  }
  return 0;
}

bool is_refusal(int error) { return error == EPERM || error == EACCES || error == ENOSYS; }

bool is_refusal(const Harmless& call, int error, bool filtered, bool admin) {
  if (error == call.answer) return false;
  if (!filtered) return error == ENOSYS;
  return !(call.rights && error == EPERM && !admin);
}

/// All answers of one child, up to the call that it was killed for; or why there is no child.
SysResult<std::vector<Answer>> ask_child(std::size_t first, bool with_rights) {
  auto pipe = SBX_TRY(make_pipe(0));
  Asking asking{first, pipe.write.get()};
  const Attempt attempt =
      with_rights ? try_in_namespaces(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWUTS, ask_all, &asking)
                  : try_in_child(ask_all, &asking);
  if (!attempt.ran) return std::unexpected(Errno{attempt.error});
  pipe.write.reset();
  std::vector<Answer> answers(kCalls.size());
  const ssize_t got = ::read(pipe.read.get(), answers.data(), answers.size() * sizeof(Answer));
  answers.resize(got > 0 ? static_cast<std::size_t>(got) / sizeof(Answer) : 0);
  return answers;
}

/// Too few descriptors or processes say nothing about calls.
std::vector<RefusedCall> no_child(const Errno& failed) {
  const int error = failed.value;
  if (!is_refusal(error)) return {};
  return {{"clone", error}};
}

int ask_clone3(void*) noexcept { return ::syscall(SYS_clone3, 0, 0) < 0 ? 0 : EINVAL; }

}  // namespace

bool clone3_kills() { return try_in_child(ask_clone3, nullptr).killed; }

std::vector<RefusedCall> find_refused_calls(bool filtered, bool rights) {
  if (const auto pipe = make_pipe(0); !pipe && is_refusal(pipe.error().value))
    return {{"pipe2", pipe.error().value}};
  std::vector<RefusedCall> refused;
  // In a child of its own first: where it kills, it would be us.
  rights = rights && !clone3_kills() && ask_child(kCalls.size(), true).has_value();
  for (std::size_t next = 0; next < kCalls.size();) {
    const auto answers = ask_child(next, rights);
    if (!answers) return no_child(answers.error());
    for (const Answer& answer : *answers) {
      const Harmless& call = kCalls.at(answer.index);
      if (is_refusal(call, answer.error, filtered, rights))
        refused.push_back({call.name, answer.error});
      next = answer.index + std::size_t{1};
    }
    // Silence before the end: the call after the last answer was deadly.
    if (next < kCalls.size()) refused.push_back({kCalls.at(next++).name, 0});
  }
  return refused;
}

}  // namespace sbx::os
