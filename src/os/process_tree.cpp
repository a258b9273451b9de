#include "os/process_tree.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"
#include "os/fd.hpp"
#include "os/landlock.hpp"

namespace sbx::os {
namespace {

/// Does the scope hold here? A child has it, and knows, by its fork.
bool confined = false;

}  // namespace

int end_tree_signal() noexcept { return SIGRTMAX; }

SysResult<void> adopt_orphans() noexcept {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return fail();
  return {};
}

SysResult<void> confine_signals(int landlock_abi) noexcept {
  // Of nested domains each has to allow a move between folders, also one that is not about files
  // (landlock(7), LANDLOCK_ACCESS_FS_REFER).
  const UniqueFd rules = SBX_TRY(
      landlock_ruleset(landlock_abi, {.files = LandlockFiles::moves, .tcp = false, .scope = true}));
  const UniqueFd root(::open("/", O_PATH | O_CLOEXEC));
  if (!root.valid()) return fail();
  SBX_CHECK(landlock_allow(rules.get(), landlock_abi, root.get(), LandlockAccess::moves));
  SBX_CHECK(landlock_restrict(rules.get()));
  if (::kill(::getppid(), 0) == 0 || errno != EPERM) return std::unexpected(Errno{EPROTO});
  // That was Landlock's answer, and not one of a filter around sbx that refuses kill(2) itself.
  if (::kill(::getpid(), 0) != 0) return fail();
  confined = true;
  return {};
}

void end_descendants() noexcept {
  while (confined) {
    if (::kill(-1, SIGKILL) != 0 && errno == EPERM) return;  // nobody can be ended
    // All that have ended, before kill(2) goes over every process of the host again: one call for
    // each of ten thousand that the command has not awaited takes minutes.
    pid_t reaped = ::waitpid(-1, nullptr, __WALL);
    while (reaped > 0) reaped = ::waitpid(-1, nullptr, WNOHANG | __WALL);
    if (reaped < 0 && errno == ECHILD) return;
  }
}

void end_others() noexcept {
  if (confined) (void)::kill(-1, SIGKILL);
}

}  // namespace sbx::os
