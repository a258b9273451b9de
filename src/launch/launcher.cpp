// The order of a launch, on one screen: host steps, clone, attend, then the pipe tells how it went.
#include "launch/launcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "launch/children.hpp"
#include "launch/host_steps.hpp"
#include "launch/placement.hpp"
#include "launch/prepared.hpp"
#include "launch/sent.hpp"
#include "launch/setup_failure.hpp"
#include "launch/shared_run.hpp"
#include "launch/state.hpp"
#include "os/own_memory.hpp"
#include "os/pass_descriptors.hpp"
#include "os/process.hpp"
#include "plan/hints.hpp"

namespace sbx::launch {
namespace {

struct Pair {
  os::UniqueFd ours{};
  os::UniqueFd theirs{};
};

Error internal(const char* what) {
  return {
      .kind = ErrorKind::setup, .what = what, .sys_errno = errno, .feature = Feature::system_calls};
}

Result<Pair> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::unexpected(internal("cannot make a pipe"));
  return Pair{os::UniqueFd(ends[0]), os::UniqueFd(ends[1])};
}

/// Carries descriptors; a packet socket, so that its end shows when the other side has died.
Result<Pair> make_channel() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return std::unexpected(internal("cannot make a socket pair"));
  return Pair{os::UniqueFd(ends[0]), os::UniqueFd(ends[1])};
}

/// The one step of phase clone: its index and its namespaces.
struct CloneStep {
  std::size_t index = 0;
  std::uint64_t flags = 0;
};
Result<CloneStep> find_clone(const plan::Plan& plan) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.steps[i].phase != plan::Phase::clone) continue;
    if (const auto* step = std::get_if<plan::CloneNamespaces>(&plan.steps[i].action))
      return CloneStep{i, step->flags};
    if (const auto* fail = std::get_if<plan::Fail>(&plan.steps[i].action))
      return std::unexpected(plan::step_error(plan, i, fail->error, {}));
  }
  return std::unexpected(Error{.kind = ErrorKind::internal, .what = "the plan does not clone"});
}

int v2_group_fd(const Sandbox::State& state) {
  for (const os::Cgroup& group : state.cgroups)
    if (group.version() == 2) return group.fd();
  return -1;
}

/// Started by root, pipes belong to root and /dev/stdout could not be opened inside: they become
/// the run's. Files and devices are the host's and stay as they are.
Result<void> own_stdio(const Sandbox::State& state, const StdioFds& stdio) {
  if (!state.host_id.lock.valid()) return {};
  for (const int fd : {stdio.in, stdio.out, stdio.err}) {
    struct ::stat what{};
    if (::fstat(fd, &what) != 0 || !S_ISFIFO(what.st_mode)) continue;
    if (::fchown(fd, state.host_id.id, state.host_id.id) != 0)
      return std::unexpected(Error{.kind = ErrorKind::setup,
                                   .what = "cannot hand a standard stream's pipe to the run",
                                   .sys_errno = errno,
                                   .feature = Feature::user_namespace});
  }
  return {};
}

/// /proc/PID of a process with closed memory is root's, and an ordinary user could not write init's
/// id maps. It has that from us; both are closed again when they are written. Without secrets of
/// its own (others of a batch have some), the plan counts on an init that is open.
Result<void> open_memory(Context& context, bool has_secrets) {
  context.closed = !os::is_dumpable() && (!has_secrets || ::geteuid() != 0);
  if (context.closed && !os::set_dumpable(true))
    return std::unexpected(internal("cannot open init's entry in /proc"));
  return {};
}

Result<void> close_memory() {
  const auto closed = os::close_memory();
  if (closed) return {};
  return std::unexpected(Error{.kind = ErrorKind::setup,
                               .what = "cannot close our memory to others",
                               .sys_errno = closed.error().value});
}

/// What init and payload are heard by; init's ends are ours until it has its copies.
struct Lines {
  Pair failure;          ///< a record: why it failed; nothing but its end: exec, or death
  os::UniqueFd channel;  ///< init's end
  os::UniqueFd gateway;  ///< the payload's
};
Result<Lines> open_lines(Context& context, Sandbox::State& state) {
  Pair failure = SBX_TRY(make_pipe());
  Pair channel = SBX_TRY(make_channel());
  os::UniqueFd gateway = SBX_TRY(state.gateway.open(*context.plan));
  context.failure_pipe = failure.theirs.get();
  context.channel = channel.theirs.get();
  context.gateway_channel = gateway.get();
  state.channel = std::move(channel.ours);
  return Lines{std::move(failure), std::move(channel.theirs), std::move(gateway)};
}

/// Only the supervisor comes back from it.
Result<void> clone_init(const CloneStep& clone, Context& context, Sandbox::State& state,
                        Lines& lines) {
  context.clock.begin(clone.index);
  auto cloned = os::clone_process(clone.flags, v2_group_fd(state));
  if (!cloned) {
    context.clock.end(clone.index, cloned.error().value);
    return std::unexpected(plan::step_error(*context.plan, clone.index, cloned.error().value, {}));
  }
  if (cloned->pid == 0) {
    // Only the supervisor may hold these ends: that is how init sees whether it still lives.
    lines.failure.ours.reset();
    state.channel.reset();
    state.gateway.close();
    init_main(context);
  }

  if (clone.flags != 0) context.processors.send_away(cloned->pid);  // it awaits our id maps
  context.clock.end(clone.index);
  state.init_pid = cloned->pid;
  state.init_pidfd = std::move(cloned->pidfd);
  lines.failure.theirs.reset();
  lines.channel.reset();
  lines.gateway.reset();
  return {};
}

/// The supervisor's part while init sets up: first what init waits for.
Result<void> attend(const Context& context, Sandbox::State& state, const Meanwhile& meanwhile) {
  const plan::Plan& plan = *context.plan;
  SBX_CHECK(run_host_phase(plan, plan::Phase::attend, state, &meanwhile));
  if (context.closed) SBX_CHECK(close_memory());
  SBX_CHECK(meanwhile.rest());
  if (!state.shares_host) call_init_back(context, state.init_pid);
  // It has copies of our ends of pipe and channel. While init finds them open it takes us for alive
  // (DieWithSupervisor), so it gets our last message when we alone hold them: should we die before,
  // it waits for that message in vain and sees the end of the channel.
  if (const auto reaped = state.namespaces.reap(); !reaped)
    return std::unexpected(Error{.kind = ErrorKind::setup,
                                 .what = "cannot wait for the process of an id-map namespace",
                                 .sys_errno = reaped.error().value});
  if (const auto told = os::send_descriptors(state.channel.get(), {}); !told)
    return std::unexpected(Error{.kind = ErrorKind::setup,
                                 .what = "cannot tell init that all is ready",
                                 .sys_errno = told.error().value});
  return {};
}

/// Waits until the pipe says failure (a record), or closes: exec, or death.
Result<void> await_exec(const plan::Plan& plan, Sandbox::State& state, int pipe, int interrupt_fd) {
  struct ::pollfd watched[3] = {
      {pipe, POLLIN, 0}, {interrupt_fd, POLLIN, 0}, {state.gateway.fd(), POLLIN, 0}};
  while (watched[0].revents == 0) {
    if (::poll(watched, 3, -1) < 0 && errno != EINTR)
      return std::unexpected(internal("cannot wait for the sandbox"));
    if (watched[0].revents == 0 && watched[1].revents != 0)
      return std::unexpected(Error{.kind = ErrorKind::setup,
                                   .what = "interrupted while the sandbox was being set up",
                                   .sys_errno = EINTR});
    if (watched[2].revents != 0) SBX_CHECK(state.gateway.receive());
    watched[2].fd = state.gateway.fd();
  }
  const SharedPage& page = *state.page.get();
  if (page.exec_errno.load() != 0) return {};
  // Where init fails at one of its own steps after that, the command may have run, and was killed.
  if (page.exec_started.load() != 0) return {};
  return std::unexpected(setup_failure(plan, state));
}

/// Nothing, where the plan has no filter, before which it is noted.
std::uint64_t command_time_ns(const plan::Plan& plan, const Sandbox::State& state) {
  const std::uint64_t noted = state.page.get()->payload_setup_ns.load();
  if (noted == 0) return state.exec_time_ns;
  const auto ahead = static_cast<std::uint64_t>(plan.monotonic_ahead_ms()) * 1'000'000U;
  return std::min(noted - ahead, state.exec_time_ns);  // modulo 2^64: it may be behind
}

}  // namespace

Result<Sandbox> launch(const plan::Plan& plan, const StdioFds& stdio, int interrupt_fd,
                       const Meanwhile& meanwhile, std::span<const os::SecretMemory> secrets,
                       StepClock clock) {
  Prepared prepared = SBX_TRY(prepare(plan, secrets));
  const CloneStep clone = SBX_TRY(find_clone(plan));
  auto state = std::make_unique<Sandbox::State>();
  if (!state->page.map()) return std::unexpected(internal("cannot map the shared page"));

  if (clone.flags == 0) SBX_CHECK(share_host(plan, *state));

  Context context;
  context.plan = &plan;
  context.prepared = &prepared;
  context.page = state->page.get();
  context.clock = state->clock = clock;
  context.stdio = stdio;
  SBX_CHECK(run_host_phase(plan, plan::Phase::host, *state));
  context.host_id = state->host_id.id;
  SBX_CHECK(own_stdio(*state, stdio));
  Lines lines = SBX_TRY(open_lines(context, *state));
  prepare_listening(plan, context.channel, prepared.filters);
  context.processors = os::Processors::usable();
  SBX_CHECK(open_memory(context, !secrets.empty()));
  SBX_CHECK(clone_init(clone, context, *state, lines));
  SBX_CHECK(reserve_places(plan, *state));
  if (auto attended = attend(context, *state, meanwhile); !attended)
    return std::unexpected(attend_failure(plan, *state, std::move(attended).error()));
  SBX_CHECK(await_exec(plan, *state, lines.failure.ours.get(), interrupt_fd));
  state->exec_time_ns = monotonic_ns();
  state->command_time_ns = command_time_ns(plan, *state);
  SBX_CHECK(take_what_was_sent(plan, *state));
  return Sandbox(std::move(state));
}

}  // namespace sbx::launch
