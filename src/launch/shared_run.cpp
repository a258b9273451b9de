#include "launch/shared_run.hpp"

#include <unistd.h>

#include "os/process_tree.hpp"
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
  if (const auto* const made = find_step<plan::MakeScratch>(plan)) state.scratch_path = made->path;
  // Should somebody kill init, its tree comes to us.
  const auto adopting = os::adopt_orphans();
  if (adopting) return {};
  return std::unexpected(Error{.kind = ErrorKind::setup,
                               .what = "cannot adopt the sandbox's orphans",
                               .sys_errno = adopting.error().value,
                               .feature = Feature::system_calls});
}

void sweep_private_folders(const plan::Plan& plan) {
  const auto* const made = find_step<plan::MakeScratch>(plan);
  if (made == nullptr) return;
  const auto* const ids = find_step<plan::ReserveHostId>(plan);
  os::sweep_scratches(made->path.substr(0, made->path.rfind('/') + 1), plan::kScratchPrefix,
                      ids == nullptr ? ::geteuid() : ids->first, ids == nullptr ? 1 : ids->count);
}

}  // namespace sbx::launch
