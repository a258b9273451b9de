#include "seccomp/path_calls.hpp"

#include <sys/syscall.h>

#include <array>

namespace sbx::seccomp {
namespace {

constexpr std::array kCalls{
#if defined(SYS_open)  // what newer machines (arm64) never had
    PathCall{SYS_open, 0, -1, 1, false},
    PathCall{SYS_creat, 0, -1, -1, true},
    PathCall{SYS_stat, 0, -1, -1, false},
    PathCall{SYS_lstat, 0, -1, -1, false},
    PathCall{SYS_access, 0, -1, -1, false},
    PathCall{SYS_readlink, 0, -1, -1, false},
    PathCall{SYS_mkdir, 0, -1, -1, true},
    PathCall{SYS_unlink, 0, -1, -1, true},
    PathCall{SYS_rename, 0, -1, -1, true},
    PathCall{SYS_rename, 1, -1, -1, true},
#endif
    PathCall{SYS_openat, 1, 0, 2, false},
    PathCall{SYS_openat2, 1, 0, -1, false},  // its flags are in memory
    PathCall{SYS_newfstatat, 1, 0, -1, false},
    PathCall{SYS_statx, 1, 0, -1, false},
    PathCall{SYS_faccessat, 1, 0, -1, false},
    PathCall{SYS_faccessat2, 1, 0, -1, false},
    PathCall{SYS_readlinkat, 1, 0, -1, false},
    PathCall{SYS_chdir, 0, -1, -1, false},
    PathCall{SYS_mkdirat, 1, 0, -1, true},
    PathCall{SYS_unlinkat, 1, 0, -1, true},
    PathCall{SYS_renameat, 1, 0, -1, true},
    PathCall{SYS_renameat, 3, 2, -1, true},
    PathCall{SYS_renameat2, 1, 0, -1, true},
    PathCall{SYS_renameat2, 3, 2, -1, true},
    PathCall{SYS_truncate, 0, -1, -1, true},
};

}  // namespace

std::span<const PathCall> path_calls() { return kCalls; }

}  // namespace sbx::seccomp
