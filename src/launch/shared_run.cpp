#include "launch/shared_run.hpp"

#include <unistd.h>

#include <chrono>

#include "os/capabilities.hpp"
#include "os/cgroup_events.hpp"
#include "os/scratch.hpp"
#include "plan/shared_host.hpp"

namespace sbx::launch {
namespace {

template <class Kind>
const Kind* find_step(const plan::Plan& plan) {
  for (const plan::Step& step : plan.steps)
    if (const auto* const found = std::get_if<Kind>(&step.action)) return found;
  return nullptr;
}

}  // namespace

Result<void> share_host(const plan::Plan& plan, Sandbox::State& state) {
  state.shares_host = true;
  const bool other_user = find_step<plan::BecomeReservedId>(plan) != nullptr;
  if (!other_user || os::may_signal_others()) return {};
  return std::unexpected(
      Error{.kind = ErrorKind::host,
            .what = "sbx, started by root, may not signal the run's own user (CAP_KILL is missing)",
            .hint = "give it that capability, or start it as an ordinary user"});
}

void end_orphans(const Sandbox::State& state) {
  constexpr std::chrono::seconds kPatience{1};
  for (const os::Cgroup& group : state.cgroups) {
    if (group.version() != 2 || os::await_cgroup_event(group.fd(), "populated 0", kPatience))
      continue;
    if (group.kill())
      static_cast<void>(os::await_cgroup_event(group.fd(), "populated 0", kPatience));
  }
}

void sweep_private_folders(const plan::Plan& plan) {
  const auto* const made = find_step<plan::MakeScratch>(plan);
  if (made == nullptr) return;
  const auto* const ids = find_step<plan::ReserveHostId>(plan);
  os::sweep_scratches(made->path.substr(0, made->path.rfind('/') + 1), plan::kScratchPrefix,
                      ids == nullptr ? ::geteuid() : ids->first, ids == nullptr ? 1 : ids->count);
}

}  // namespace sbx::launch
