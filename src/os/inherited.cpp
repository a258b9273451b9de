#include "os/inherited.hpp"

#include <linux/keyctl.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"
#include "base/fixed_text.hpp"
#include "os/process.hpp"

namespace sbx::os {
namespace {

constexpr int kDeadline = 6;  // SCHED_DEADLINE

SysResult<void> check(long result) {
  if (result < 0) return fail();
  return {};
}

}  // namespace

SysResult<void> reset_personality() noexcept {
  constexpr unsigned long kAsk = 0xffffffff;
  const int now = ::personality(kAsk);
  if (now < 0) return {};  // a filter around sbx refuses it, to the caller as well
  const int kept = (now & PER_MASK) == PER_LINUX32 ? PER_LINUX32 : PER_LINUX;
  return now == kept ? SysResult<void>{} : check(::personality(static_cast<unsigned long>(kept)));
}

SysResult<void> leave_realtime() noexcept {
  const int now = ::sched_getscheduler(0);
  if (now < 0) return fail();
  const int policy = now & ~SCHED_RESET_ON_FORK;
  if (policy != SCHED_FIFO && policy != SCHED_RR && policy != kDeadline) return {};
  const ::sched_param none{};
  return check(::sched_setscheduler(0, SCHED_OTHER, &none));
}

SysResult<void> reset_oom_score(const char* process) noexcept {
  return write_proc_file(FixedText<48>().add("/proc/").add(process).add("/oom_score_adj").c_str(),
                         "0");
}

SysResult<void> leave_keyring() noexcept {
  if (::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) >= 0 || errno == ENOSYS)
    return {};
  return fail();
}

}  // namespace sbx::os
