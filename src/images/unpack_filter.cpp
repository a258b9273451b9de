#include "images/unpack_filter.hpp"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <array>
#include <cstddef>

namespace sbx::images {
namespace {

/// Files below what Landlock leaves, memory, and the end. No sockets, no programs, no children, no
/// other process.
constexpr std::array kAllowed{
    SYS_read,           SYS_write,         SYS_pread64,      SYS_pwrite64,   SYS_readv,
    SYS_writev,         SYS_lseek,         SYS_openat,       SYS_openat2,    SYS_close,
    SYS_fstat,          SYS_newfstatat,    SYS_statx,        SYS_getdents64, SYS_fcntl,
    SYS_ftruncate,      SYS_fchmod,        SYS_utimensat,    SYS_mkdirat,    SYS_unlinkat,
    SYS_linkat,         SYS_symlinkat,     SYS_mmap,         SYS_munmap,     SYS_mremap,
    SYS_mprotect,       SYS_madvise,       SYS_brk,          SYS_futex,      SYS_getrandom,
    SYS_uname,          SYS_clock_gettime, SYS_gettimeofday, SYS_time,       SYS_rt_sigreturn,
    SYS_rt_sigprocmask, SYS_getpid,        SYS_gettid,       SYS_tgkill,     SYS_exit,
    SYS_exit_group,
};

constexpr sock_filter load(std::size_t offset) {
  return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<__u32>(offset)};
}
constexpr sock_filter answer(__u32 with) { return {BPF_RET | BPF_K, 0, 0, with}; }

constexpr auto make_program() {
  std::array<sock_filter, kAllowed.size() + 6> program{};
  std::size_t at = 0;
  program[at++] = load(offsetof(seccomp_data, arch));
  program[at++] = {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AUDIT_ARCH_X86_64};
  program[at++] = answer(SECCOMP_RET_KILL_PROCESS);
  program[at++] = load(offsetof(seccomp_data, nr));
  for (std::size_t i = 0; i < kAllowed.size(); ++i)
    program[at++] = {BPF_JMP | BPF_JEQ | BPF_K, static_cast<__u8>(kAllowed.size() - i), 0,
                     static_cast<__u32>(kAllowed[i])};
  program[at++] = answer(SECCOMP_RET_KILL_PROCESS);
  program[at++] = answer(SECCOMP_RET_ALLOW);
  return program;
}

constexpr auto kProgram = make_program();

}  // namespace

std::span<const sock_filter> unpack_filter() { return kProgram; }

}  // namespace sbx::images
