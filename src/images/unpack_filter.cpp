#include "images/unpack_filter.hpp"

#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <array>

#include "os/allow_only.hpp"

namespace sbx::images {
namespace {

/// Files below what Landlock leaves, memory, and the end. No sockets, no programs, no children, no
/// other process.
constexpr std::array kAllowed{
    SYS_read,      SYS_write,         SYS_pread64,      SYS_pwrite64,     SYS_readv,
    SYS_writev,    SYS_lseek,         SYS_openat,       SYS_openat2,      SYS_close,
    SYS_fstat,     SYS_newfstatat,    SYS_statx,        SYS_getdents64,   SYS_fcntl,
    SYS_ftruncate, SYS_fchmod,        SYS_utimensat,    SYS_mkdirat,      SYS_unlinkat,
    SYS_linkat,    SYS_symlinkat,     SYS_mmap,         SYS_munmap,       SYS_mremap,
    SYS_mprotect,  SYS_madvise,       SYS_brk,          SYS_futex,        SYS_getrandom,
    SYS_uname,     SYS_clock_gettime, SYS_gettimeofday, SYS_rt_sigreturn, SYS_rt_sigprocmask,
    SYS_getpid,    SYS_gettid,        SYS_tgkill,       SYS_exit,         SYS_exit_group,
#if defined(SYS_time)
    SYS_time,
#endif
};

constexpr auto kProgram = os::allow_only(kAllowed, SECCOMP_RET_KILL_PROCESS);

}  // namespace

std::span<const sock_filter> unpack_filter() { return kProgram; }

}  // namespace sbx::images
