// Steps of a run that shares the host's namespaces (tier `landlock`): what the kernel does by
// itself at the end of a pid or mount namespace, init does here.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "launch/executor.hpp"
#include "os/process.hpp"
#include "os/process_tree.hpp"
#include "os/scratch.hpp"

namespace sbx::launch {
namespace {

std::unexpected<Errno> fail() noexcept { return std::unexpected(Errno{errno}); }

}  // namespace

StepResult run(const plan::BecomeReservedId&, Context& context) noexcept {
  // Never host uid 0, whatever went wrong before.
  if (context.host_id == 0) return std::unexpected(Errno{EPERM});
  return os::become_ids(context.host_id, context.host_id, true);
}

StepResult run(const plan::HoldTree& step, Context& context) noexcept {
  SBX_CHECK(os::adopt_orphans());
  SBX_CHECK(os::confine_signals(step.landlock_abi));
  context.holds_tree = true;
  return {};
}

StepResult run(const plan::MakeScratch& step, Context& context) noexcept {
  context.scratch = SBX_TRY(os::make_scratch(step.path.c_str()));
  context.scratch_path = step.path.c_str();
  return {};
}

StepResult run(const plan::DieWithInit&, Context& context) noexcept {
  SBX_CHECK(os::set_death_signal(SIGKILL));
  // It may have died before the line above, and then we are somebody else's child.
  if (::getppid() != context.init_pid) return std::unexpected(Errno{ESRCH});
  return {};
}

SysResult<unsigned> keep_scratch(Context& context) noexcept {
  if (!context.scratch.valid()) return 0U;
  if (context.scratch.get() != 0) {
    if (::dup3(context.scratch.get(), 0, O_CLOEXEC) < 0) return fail();
    (void)context.scratch.release();  // closed with the others
    context.scratch = os::UniqueFd(0);
  }
  return 1U;
}

void end_shared_tree(Context& context) noexcept {
  if (context.holds_tree) os::end_descendants();
  // What cannot be removed stays for the sweep of a later run.
  if (context.scratch.valid())
    (void)os::remove_scratch(context.scratch.get(), context.scratch_path);
}

}  // namespace sbx::launch
