// init's steps about ids, namespaces and the other processes of the run.
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "launch/executor.hpp"
#include "os/network.hpp"
#include "os/pass_descriptors.hpp"
#include "os/process.hpp"
#include "os/process_title.hpp"

namespace sbx::launch {
namespace {

constexpr int kSpins = 2000;  // some 20 us: the supervisor is usually about to write

std::unexpected<Errno> fail() noexcept { return std::unexpected(Errno{errno}); }

/// Waits until the supervisor stores 1. A supervisor that dies takes us along (PR_SET_PDEATHSIG).
StepResult await(std::atomic<std::uint32_t>& word) noexcept {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (word.load(std::memory_order_acquire) != 0) return {};
    __builtin_ia32_pause();
  }
  while (word.load(std::memory_order_acquire) == 0) {
    const long result = ::syscall(SYS_futex, &word, FUTEX_WAIT, 0U, nullptr, nullptr, 0);
    if (result < 0 && errno != EAGAIN && errno != EINTR) return fail();
  }
  return {};
}

}  // namespace

StepResult die_with_supervisor(const Context& context) noexcept {
  SBX_CHECK(os::set_death_signal(SIGKILL));
  // It may have died before the line above; getppid(2) is 0 across pid namespaces and cannot tell,
  // but the pipe's reader is the supervisor alone.
  struct ::pollfd pipe{context.failure_pipe, 0, 0};
  if (::poll(&pipe, 1, 0) < 0) return fail();
  if ((pipe.revents & POLLERR) != 0) return std::unexpected(Errno{EPIPE});
  return {};
}

StepResult run(const plan::AwaitIdMaps&, Context& context) noexcept {
  return await(context.page->maps_ready);
}

StepResult run(const plan::JoinCgroups&, Context& context) noexcept {
  const auto groups = SBX_TRY(os::receive_descriptors(context.channel, true));
  for (const os::UniqueFd& tasks : groups)
    if (tasks.valid() && ::write(tasks.get(), "0", 1) != 1) return fail();
  return {};
}

StepResult run(const plan::DieWithSupervisor&, Context& context) noexcept {
  return die_with_supervisor(context);
}

StepResult run(const plan::SetTimeOffsets& step, Context&) noexcept {
  // Children enter the new time namespace, so the payload does and init does not; the offsets can
  // only be written until the first one has (time_namespaces(7)).
  if (::unshare(CLONE_NEWTIME) != 0) return fail();
  for (const auto& [clock, offset] :
       {std::pair{"monotonic", step.monotonic_ms}, std::pair{"boottime", step.boottime_ms}}) {
    if (!offset) continue;
    std::int64_t seconds = *offset / 1000;
    std::int64_t milliseconds = *offset % 1000;
    if (milliseconds < 0) {
      milliseconds += 1000;
      --seconds;
    }
    char line[64];
    const int length =
        std::snprintf(line, sizeof line, "%s %lld %lld\n", clock, static_cast<long long>(seconds),
                      static_cast<long long>(milliseconds * 1'000'000));
    SBX_CHECK(
        os::write_proc_file("/proc/self/timens_offsets", {line, static_cast<std::size_t>(length)}));
  }
  return {};
}

StepResult run(const plan::BecomeInnerIds& step, Context&) noexcept {
  return os::become_ids(step.uid, step.gid, step.drop_groups);
}

StepResult run(const plan::ForbidNamespaces&, Context&) noexcept {
  // Our own user namespace's limit, whatever mount of /proc shows it (user_namespaces(7)).
  return os::write_proc_file("/proc/sys/user/max_user_namespaces", "0");
}

StepResult run(const plan::SetHostname& step, Context&) noexcept {
  if (::sethostname(step.name.data(), step.name.size()) != 0) return fail();
  return {};
}

StepResult run(const plan::RaiseLoopback&, Context&) noexcept { return os::raise_loopback(); }

StepResult run(const plan::UnshareCgroup&, Context&) noexcept {
  if (::unshare(CLONE_NEWCGROUP) != 0) return fail();
  return {};
}

StepResult run(const plan::ForkPayload&, Context& context) noexcept {
  context.payload_pid = SBX_TRY(os::fork_process());
  return {};
}

StepResult run(const plan::HideCommandLine&, Context&) noexcept {
  os::hide_command_line();
  return {};
}

StepResult run(const plan::SetDumpable& step, Context&) noexcept {
  return os::set_dumpable(step.dumpable);
}

}  // namespace sbx::launch
