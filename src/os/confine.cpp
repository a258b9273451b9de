#include "os/confine.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "base/fail.hpp"
#include "os/process.hpp"

namespace sbx::os {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "which architecture's calls are these?"
#endif

constexpr std::array kAllowed{SYS_read,   SYS_write,   SYS_brk,          SYS_mmap, SYS_munmap,
                              SYS_mremap, SYS_madvise, SYS_rt_sigreturn, SYS_exit, SYS_exit_group};

constexpr ::sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
constexpr ::sock_filter answer(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }

/// Look at the architecture, at the number, say no; one jump for each call that is allowed.
constexpr auto make_filter() {
  constexpr std::size_t kHead = 4;
  std::array<::sock_filter, kHead + kAllowed.size() + 2> program{};
  program[0] = load(offsetof(::seccomp_data, arch));
  program[1] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
  program[2] = answer(SECCOMP_RET_KILL_PROCESS);
  program[3] = load(offsetof(::seccomp_data, nr));
  for (std::size_t i = 0; i < kAllowed.size(); ++i)
    program[kHead + i] =
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(kAllowed[i]),
                 static_cast<std::uint8_t>(kAllowed.size() - i), 0);
  program[kHead + kAllowed.size()] = answer(SECCOMP_RET_ERRNO | EPERM);
  program[kHead + kAllowed.size() + 1] = answer(SECCOMP_RET_ALLOW);
  return program;
}

}  // namespace

SysResult<void> confine_reader(std::optional<Ids> ids, std::uint64_t memory) noexcept {
  if (ids) SBX_CHECK(become_ids(ids->uid, ids->gid, true));
  SBX_CHECK(set_dumpable(false));
  SBX_CHECK(set_rlimit(RLIMIT_CORE, 0));
  SBX_CHECK(set_rlimit(RLIMIT_AS, memory));
  SBX_CHECK(set_death_signal(SIGKILL));
  SBX_CHECK(set_no_new_privs());
  static auto program = make_filter();
  const ::sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) return fail();
  return {};
}

}  // namespace sbx::os
