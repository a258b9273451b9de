// init's steps about ids and namespaces.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"
#include "base/fixed_text.hpp"
#include "launch/executor.hpp"
#include "os/inherited.hpp"
#include "os/mount.hpp"
#include "os/pass_descriptors.hpp"
#include "os/process.hpp"
#include "os/process_title.hpp"
#include "os/process_tree.hpp"

namespace sbx::launch {

StepResult run(const plan::AwaitIdMaps&, Context& context) noexcept {
  // An empty message; kPeerGone when the supervisor has died instead.
  SBX_CHECK(os::receive_descriptors(context.channel, true));
  context.processors.take_all();
  return {};
}

StepResult run(const plan::ResetOomScore&, Context&) noexcept {
  return os::reset_oom_score("self");
}

StepResult run(const plan::DieWithSupervisor& step, Context& context) noexcept {
  SBX_CHECK(os::set_death_signal(step.end_tree ? os::end_tree_signal() : SIGKILL));
  // It may have died before the line above; getppid(2) is 0 across pid namespaces and cannot tell,
  // but the pipe's reader is the supervisor alone.
  struct ::pollfd pipe{context.failure_pipe, 0, 0};
  if (::poll(&pipe, 1, 0) < 0) return fail();
  if ((pipe.revents & POLLERR) != 0) return std::unexpected(Errno{os::kPeerGone});
  return {};
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
    const auto line =
        FixedText<80>().add(clock).add(" ").add(seconds).add(" ").add(milliseconds * 1'000'000);
    SBX_CHECK(os::write_proc_file("/proc/self/timens_offsets", line.view()));
  }
  return {};
}

StepResult run(const plan::BecomeInnerIds& step, Context& context) noexcept {
  SBX_CHECK(os::become_ids(step.uid, step.gid, step.drop_groups));
  // Until here an ordinary user's supervisor had to write our id maps, and SetTimeOffsets our
  // /proc/self (proc(5)). With values of secrets in memory no other process of that user is to look
  // in from now on; without, SetDumpable is early enough.
  const bool closed = context.closed || !context.plan->secrets.empty();
  return closed ? os::set_dumpable(false) : StepResult{};
}

StepResult run(const plan::ForbidNamespaces&, Context& context) noexcept {
  // Every mount of /proc shows our own user namespace's limit here (user_namespaces(7)). In the
  // host's the kernel compares with the entries of all other namespaces that have looked for
  // theirs (proc_sys_compare()): a quarter of a millisecond beside 200 sandboxes.
  struct Limit {
    const char* file;
    std::string_view value;
    bool optional;  // there is none where the kernel has nothing to be limited
  };
  // What a namespace has of inotify counts for who made it as well, and the host lets a user have
  // 128 instances (fs.inotify.max_user_instances): one command would take root's.
  constexpr Limit kLimits[] = {{"proc/sys/user/max_user_namespaces", "0", false},
                               {"proc/sys/user/max_inotify_instances", "32", true},
                               {"proc/sys/user/max_inotify_watches", "16384", true}};
  for (const Limit& limit : kLimits) {
    const auto file = os::open_inside(context.root.get(), limit.file, O_WRONLY);
    if (!file && limit.optional && file.error().value == ENOENT) continue;
    if (!file) return std::unexpected(file.error());
    if (::write(file->get(), limit.value.data(), limit.value.size()) !=
        static_cast<ssize_t>(limit.value.size()))
      return fail();
  }
  return {};
}

StepResult run(const plan::SetHostname& step, Context&) noexcept {
  if (::sethostname(step.name.data(), step.name.size()) != 0) return fail();
  return {};
}

StepResult run(const plan::UnshareCgroup&, Context&) noexcept {
  if (::unshare(CLONE_NEWCGROUP) != 0) return fail();
  return {};
}

StepResult run(const plan::HideCommandLine&, Context&) noexcept {
  os::hide_command_line("sbx-init");
  return {};
}

StepResult run(const plan::SetDumpable& step, Context&) noexcept {
  return os::set_dumpable(step.dumpable);
}

}  // namespace sbx::launch
