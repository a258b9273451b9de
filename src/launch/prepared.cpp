#include "launch/prepared.hpp"

#include <linux/seccomp.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <cstdint>

#include "launch/gateway_receipt.hpp"
#include "os/own_program.hpp"
#include "seccomp/notify.hpp"
#include "seccomp/path_calls.hpp"

namespace sbx::launch {
namespace {

// Everybody needs these, so nobody has to be heard making them: what the launcher does between the
// filter and the exec, when nobody answers yet, what depends on nothing but time, and the ends. To
// wait in rt_sigreturn(2) would be to come back from it with EINTR; and so memory, signals, pipes
// and what closes a descriptor would fail when a signal comes before the listener has the notice,
// which no program expects of them.
constexpr auto kAlwaysNeeded = std::to_array<std::uint32_t>(
    {SYS_execve, SYS_sendmsg, SYS_restart_syscall, SYS_rt_sigreturn, SYS_futex, SYS_sched_yield,
     SYS_exit, SYS_exit_group, SYS_brk, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_rt_sigaction,
     SYS_rt_sigprocmask, SYS_pipe2,
#if defined(SYS_pipe)
     SYS_pipe,
#endif
     SYS_close});

constexpr std::array<std::uint32_t, 1> kConnect{SYS_connect};
/// They connect as well (tcp(7), RFC 7413).
constexpr std::array<seccomp::FlaggedCall, 3> kFastOpen{{{SYS_sendto, 3, MSG_FASTOPEN},
                                                         {SYS_sendmsg, 2, MSG_FASTOPEN},
                                                         {SYS_sendmmsg, 3, MSG_FASTOPEN}}};

/// Behind the others, before the null pointer.
Result<void> add_secrets(const plan::Plan& plan, std::span<const os::SecretMemory> secrets,
                         std::vector<char*>& env) {
  if (secrets.size() != plan.secrets.size())
    return std::unexpected(
        Error{.kind = ErrorKind::internal, .what = "the values of the secrets are not there"});
  for (std::size_t i = 0; i < secrets.size(); ++i)
    if (!plan.secrets[i].env.empty()) env.insert(env.end() - 1, secrets[i].entry());
  return {};
}

std::vector<std::string> candidates(const plan::Plan& plan) {
  const std::string& command = plan.argv.front();
  if (command.find('/') != std::string::npos) return {command};
  std::vector<std::string> paths;
  paths.reserve(plan.search_path.size());
  for (const std::string& folder : plan.search_path)
    paths.emplace_back(folder).append("/").append(command);
  return paths;
}

/// For `sbx learn`.
void hear_more(plan::Learning learning, std::vector<sock_filter>& program) {
  if (learning == plan::Learning::needs) {
    std::vector<std::uint32_t> calls;
    for (const seccomp::PathCall& call : seccomp::path_calls())
      if (calls.empty() || calls.back() != call.number) calls.push_back(call.number);
    program = seccomp::hearing(program, calls);
  } else if (learning == plan::Learning::tight) {
    std::vector<std::uint32_t> deaf(kAlwaysNeeded.begin(), kAlwaysNeeded.end());
    deaf.insert(deaf.end(), seccomp::kForks.begin(), seccomp::kForks.end());
    program = seccomp::hearing_all(program, deaf);
  }
}

/// What a step that drops capabilities keeps; null: it is another.
const std::vector<std::string>* kept_capabilities(const plan::Action& action) {
  if (const auto* drop = std::get_if<plan::DropCapabilities>(&action)) return &drop->keep;
  const auto* bounding = std::get_if<plan::EmptyBoundingSet>(&action);
  return bounding == nullptr ? nullptr : &bounding->keep;
}

/// Those of an earlier step, if that keeps the same: libcap asks the kernel for each anew.
Result<std::shared_ptr<const os::CapabilitySet>> sets_for(
    const std::vector<std::string>& keep, const std::vector<Prepared::Capabilities>& made) {
  for (const Prepared::Capabilities& earlier : made)
    if (*earlier.keep == keep) return earlier.sets;
  auto sets = os::CapabilitySet::prepare(keep);
  if (!sets)
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "cannot prepare the capability sets",
                                 .sys_errno = sets.error().value});
  return std::make_shared<const os::CapabilitySet>(std::move(*sets));
}

}  // namespace

std::span<const std::uint32_t> always_needed() { return kAlwaysNeeded; }

void prepare_listening(const plan::Plan& plan, int channel, Filters& filters) {
  const plan::Supervision& wanted = plan.supervision;
  if (!wanted.denials && !wanted.hears_connects) return;
  if (wanted.denials)
    filters.told = seccomp::notifying(filters.plain, plan.seccomp.on_deny);
  else
    filters.told.assign(filters.plain.begin(), filters.plain.end());
  if (wanted.hears_connects)
    filters.told = seccomp::hearing(seccomp::hearing(filters.told, kFastOpen), kConnect);
  hear_more(wanted.learning, filters.told);
  // What the payload does under the filter, before its exec, to hand the listener over.
  const seccomp::OwnCall send{SYS_sendmsg, static_cast<std::uint32_t>(channel)};
  if (seccomp::lets_through(filters.plain, plan.seccomp, send)) return;
  const std::array own{send, seccomp::OwnCall{SYS_seccomp, SECCOMP_SET_MODE_FILTER}};
  filters.told = seccomp::with_pass(filters.told, own);
  filters.afterwards = seccomp::end_of_pass(filters.plain, plan.seccomp, own);
}

Result<Prepared> prepare(const plan::Plan& plan, std::span<const os::SecretMemory> secrets) {
  if (plan.argv.empty())
    return std::unexpected(Error{.kind = ErrorKind::internal, .what = "the plan has no command"});
  Prepared ready;
  ready.argv = os::exec_pointers(plan.argv);
  ready.env = os::exec_pointers(plan.env);
  SBX_CHECK(add_secrets(plan, secrets, ready.env));
  ready.secrets = secrets;
  ready.candidates = candidates(plan);
  ready.filters.plain = plan.filter.program();
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const std::vector<std::string>* const keep = kept_capabilities(plan.steps[i].action);
    if (keep == nullptr) continue;
    ready.capabilities.push_back({i, keep, SBX_TRY(sets_for(*keep, ready.capabilities))});
  }
  return ready;
}

}  // namespace sbx::launch
