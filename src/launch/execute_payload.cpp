// The payload's own steps between fork and exec; guard (init after the fork) shares some of them.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/fail.hpp"
#include "launch/executor.hpp"
#include "launch/step_times.hpp"
#include "os/cpu_time.hpp"
#include "os/inherited.hpp"
#include "os/landlock.hpp"
#include "os/pass_descriptors.hpp"
#include "os/process.hpp"
#include "os/seccomp_notify.hpp"

namespace sbx::launch {
namespace {

os::LandlockAccess access_of(const plan::LandlockRule& rule) noexcept {
  if (rule.device) return os::LandlockAccess::device;
  return rule.writable ? os::LandlockAccess::write : os::LandlockAccess::read;
}

/// 0 when `path` can be executed, else why not.
int executable_errno(const char* path) noexcept {
  struct ::stat what{};
  if (::stat(path, &what) != 0) return errno;
  if (S_ISDIR(what.st_mode)) return EISDIR;
  if (!S_ISREG(what.st_mode)) return EACCES;
  return ::faccessat(AT_FDCWD, path, X_OK, 0) == 0 ? 0 : errno;
}

/// What was prepared for the step that is under way.
SysResult<const os::CapabilitySet*> sets_of_step(const Context& context) noexcept {
  for (const Prepared::Capabilities& ready : context.prepared->capabilities)
    if (ready.step == context.step_index) return ready.sets.get();
  return std::unexpected(Errno{EPROTO});
}

}  // namespace

StepResult run(const plan::NewSession& step, Context& context) noexcept {
  return os::new_session(step.controlling_tty ? context.pty_slave.get() : -1);
}

StepResult run(const plan::PlaceStdio&, Context& context) noexcept {
  const int slave = context.pty_slave.get();
  const int wanted[3] = {slave >= 0 ? slave : context.stdio.in,
                         slave >= 0 ? slave : context.stdio.out,
                         slave >= 0 ? slave : context.stdio.err};
  // Above 2 first, so that no dup2 overwrites a source that is still needed.
  int safe[3];
  for (int i = 0; i < 3; ++i) {
    safe[i] = ::fcntl(wanted[i], F_DUPFD_CLOEXEC, 3);
    if (safe[i] < 0) return fail();
  }
  for (int i = 0; i < 3; ++i)
    if (::dup2(safe[i], i) < 0) return fail();
  return {};
}

StepResult run(const plan::SetRlimit& step, Context&) noexcept {
  const int resource = os::rlimit_number(step.name);
  if (resource < 0) return std::unexpected(Errno{EINVAL});
  return os::set_rlimit(resource, step.value.value_or(RLIM_INFINITY));
}

StepResult run(const plan::ChangeDir& step, Context&) noexcept {
  if (::chdir(step.path.c_str()) != 0) return fail();
  return {};
}

StepResult run(const plan::ResolveExecutable&, Context& context) noexcept {
  // The first that can run wins; one that is there but cannot run is remembered, as execvp(3) does.
  int problem = ENOENT;
  for (const std::string& candidate : context.prepared->candidates) {
    const int error = executable_errno(candidate.c_str());
    if (error == 0) {
      context.executable = candidate.c_str();
      return {};
    }
    if (error != ENOENT && error != ENOTDIR) problem = error;
  }
  context.page->exec_errno.store(problem);
  return std::unexpected(Errno{problem});
}

StepResult run(const plan::NoNewPrivs&, Context&) noexcept { return os::set_no_new_privs(); }

StepResult run(const plan::ApplyLandlock& step, Context& context) noexcept {
  const os::UniqueFd ruleset =
      SBX_TRY(os::landlock_ruleset(step.abi, {.tcp = step.no_tcp, .scope = step.scope}));
  for (std::size_t i = 0; i < step.rules.size(); ++i) {
    const plan::LandlockRule& rule = step.rules[i];
    context.page->rule.store(static_cast<std::int32_t>(i), std::memory_order_relaxed);
    const os::UniqueFd path(::open(rule.path.c_str(), O_PATH | O_CLOEXEC));
    if (!path.valid() && rule.optional && (errno == ENOENT || errno == EACCES)) continue;
    if (!path.valid()) return fail();
    SBX_CHECK(os::landlock_allow(ruleset.get(), step.abi, path.get(), access_of(rule)));
  }
  context.page->rule.store(-1, std::memory_order_relaxed);
  return os::landlock_restrict(ruleset.get());
}

StepResult run(const plan::EmptyBoundingSet&, Context& context) noexcept {
  return SBX_TRY(sets_of_step(context))->empty_bounding_set();
}

StepResult run(const plan::DropCapabilities& step, Context& context) noexcept {
  const os::CapabilitySet* const sets = SBX_TRY(sets_of_step(context));
  return step.locked ? sets->apply() : sets->apply_own();
}

StepResult run(const plan::ResetSignals&, Context&) noexcept { return os::reset_signals(); }

StepResult run(const plan::ResetInherited& step, Context&) noexcept {
  SBX_CHECK(os::reset_personality());
  SBX_CHECK(os::leave_realtime());
  return step.keyring ? os::leave_keyring() : StepResult{};
}

StepResult run(const plan::CloseDescriptors&, Context& context) noexcept {
  // The payload still has to report a failed exec, so its pipe closes by exec. init needs little
  // any more.
  if (context.payload_pid == 0) return os::cloexec_from(3);
  return os::close_from(SBX_TRY(keep_held(context)));
}

StepResult run(const plan::InstallSeccomp&, Context& context) noexcept {
  const Filters& filters = context.prepared->filters;
  // Which the filter may forbid to ask for, both: not every clock is read in the vDSO (vdso(7)).
  context.page->payload_setup_ns.store(monotonic_ns());
  context.page->payload_setup.store(os::own_cpu_time());
  // From here on a failure ends us by a trap, which may leave no core; exec resets it.
  SBX_CHECK(os::set_dumpable(false));
  if (filters.told.empty()) {
    SBX_CHECK(os::install_filter(filters.plain));
    context.filtered = true;
    return {};
  }
  auto listener = os::install_filter_with_listener(filters.told, context.plan->hears_at_once());
  if (!listener) {
    // An outer sandbox listens already (EBUSY), or the kernel is too old (EINVAL). Nothing is
    // weaker without, only nobody is told: the supervisor sees that none has come.
    const int why = listener.error().value;
    // But ports that are opened late would never be.
    if ((why != EBUSY && why != EINVAL) || context.plan->supervision.hears_connects)
      return std::unexpected(listener.error());
    SBX_CHECK(os::install_filter(filters.plain));
    context.filtered = true;
    return {};
  }
  context.filtered = true;
  // Open until the exec, which closes it: to close it here could be a call that is denied.
  const int passed[] = {listener->release()};
  context.page->listening.store(1);
  SBX_CHECK(os::send_descriptors(context.channel, passed, os::WaitForRoom::awake));
  if (filters.afterwards.empty()) return {};
  return os::install_filter(filters.afterwards);
}

StepResult run(const plan::ExecPayload&, Context& context) noexcept {
  context.page->exec_started.store(1);
  ::execve(context.executable, context.prepared->argv.data(), context.prepared->env.data());
  context.page->exec_errno.store(errno);
  return fail();
}

}  // namespace sbx::launch
