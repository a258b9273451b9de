// Steps of a run that shares the host's namespaces (tier `landlock`): what the kernel does by
// itself at the end of a pid or mount namespace, init does here.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "base/fail.hpp"
#include "launch/executor.hpp"
#include "os/process.hpp"
#include "os/process_title.hpp"
#include "os/process_tree.hpp"
#include "os/scratch.hpp"

namespace sbx::launch {
namespace {

/// The descriptor is another number now; the old one closes.
SysResult<void> move_to(os::UniqueFd& fd, int number) noexcept {
  if (number < 0) return fail();
  fd = os::UniqueFd(number);
  return {};
}

/// Both at 0 and 1. Out of the way first: a low number may be one of the two.
SysResult<void> place_low(os::UniqueFd& first, os::UniqueFd& second) noexcept {
  for (os::UniqueFd* const fd : {&first, &second})
    SBX_CHECK(move_to(*fd, ::fcntl(fd->get(), F_DUPFD_CLOEXEC, 3)));
  SBX_CHECK(move_to(first, ::dup3(first.get(), 0, O_CLOEXEC)));
  return move_to(second, ::dup3(second.get(), 1, O_CLOEXEC));
}

/// Waits for init's end, which is the end of the pipe, and does init's work. It has a name of its
/// own, because who kills all that is called sbx is to leave it.
void keep_tree(Context& context, os::UniqueFd end) noexcept {
  os::hide_command_line("sandbox-keeper");
  (void)os::set_dumpable(false);
  context.keeper.reset();
  // Nothing else stays open: the ends of pipes say to others that we live.
  if (!place_low(context.scratch, end) || !os::close_from(2)) os::end_process(errno);
  char byte = 0;
  while (::read(end.get(), &byte, 1) < 0 && errno == EINTR) {
  }
  os::end_others();
  // Who was killed in the middle of a call may still put something there.
  constexpr ::timespec kPause{0, 10'000'000};
  for (int i = 0; i < 100 && !os::remove_scratch(context.scratch.get(), context.scratch_path); ++i)
    (void)::nanosleep(&kPause, nullptr);
  os::end_process(0);
}

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

StepResult run(const plan::ForkKeeper&, Context& context) noexcept {
  if (!context.holds_tree) return std::unexpected(Errno{EPROTO});
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail();
  context.keeper = os::UniqueFd(ends[1]);
  context.keeper_pid = SBX_TRY(fork_child(context, os::UniqueFd(ends[0]), keep_tree));
  return {};
}

StepResult run(const plan::MakeScratch& step, Context& context) noexcept {
  context.scratch = SBX_TRY(os::make_scratch(step.path.c_str()));
  context.scratch_path = step.path.c_str();
  return {};
}

StepResult run(const plan::DieWithInit&, Context& context) noexcept {
  return os::die_with_parent(context.init_pid);
}

SysResult<unsigned> keep_held(Context& context) noexcept {
  unsigned number = 0;
  if (context.scratch.valid() && context.keeper.valid()) {
    SBX_CHECK(place_low(context.scratch, context.keeper));
    number = 2;
  }
  // The channel is not below 3: standard streams that were closed are filled first.
  context.channel = ::dup3(context.channel, static_cast<int>(number), O_CLOEXEC);
  if (context.channel < 0) return fail();
  return number + 1;
}

void end_shared_tree(Context& context) noexcept {
  if (context.holds_tree) os::end_descendants();
  // What cannot be removed stays for the sweep of a later run.
  if (context.scratch.valid())
    (void)os::remove_scratch(context.scratch.get(), context.scratch_path);
}

}  // namespace sbx::launch
