#include "os/confine.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>

#include "base/fail.hpp"
#include "os/allow_only.hpp"
#include "os/process.hpp"

namespace sbx::os {
namespace {

constexpr std::array kAllowed{SYS_read,   SYS_write,   SYS_brk,          SYS_mmap, SYS_munmap,
                              SYS_mremap, SYS_madvise, SYS_rt_sigreturn, SYS_exit, SYS_exit_group};

}  // namespace

SysResult<void> confine_reader(std::optional<Ids> ids, std::uint64_t memory) noexcept {
  if (ids) SBX_CHECK(become_ids(ids->uid, ids->gid, true));
  SBX_CHECK(set_dumpable(false));
  SBX_CHECK(set_rlimit(RLIMIT_CORE, 0));
  SBX_CHECK(set_rlimit(RLIMIT_AS, memory));
  SBX_CHECK(set_death_signal(SIGKILL));
  SBX_CHECK(set_no_new_privs());
  static constinit auto program = allow_only(kAllowed, SECCOMP_RET_ERRNO | EPERM);
  const ::sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) return fail();
  return {};
}

}  // namespace sbx::os
