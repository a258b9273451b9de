#include "launch/sent.hpp"

#include <fcntl.h>

#include <cerrno>
#include <string>
#include <utility>

#include "os/pass_descriptors.hpp"

namespace sbx::launch {
namespace {

Error lost(const char* what) {
  return {.kind = ErrorKind::setup,
          .what = std::string(what) + " did not arrive",
          .sys_errno = errno,
          .feature = Feature::system_calls};
}

Result<os::UniqueFd> receive_one(const Sandbox::State& state, const char* what) {
  auto received = os::receive_descriptors(state.channel.get(), false);
  if (!received || !received->front().valid()) return std::unexpected(lost(what));
  return std::move(received->front());
}

}  // namespace

Result<void> reserve_places(const plan::Plan& plan, Sandbox::State& state) {
  const int wanted = (plan.keep ? 1 : 0) + (plan.artifacts ? 1 : 0) +
                     (plan.supervision.tty ? 1 : 0) +
                     (plan.supervision.denials || plan.supervision.hears_connects ? 1 : 0);
  for (int i = 0; i < wanted; ++i) {
    state.reserved.emplace_back(::fcntl(state.channel.get(), F_DUPFD_CLOEXEC, 0));
    if (!state.reserved.back().valid())
      return std::unexpected(Error{.kind = ErrorKind::setup,
                                   .what = "no room for what the sandbox sends",
                                   .sys_errno = errno,
                                   .feature = Feature::system_calls});
  }
  return state.gateway.reserve();
}

Result<void> take_what_was_sent(const plan::Plan& plan, Sandbox::State& state) {
  state.reserved.clear();
  if (plan.keep) state.changes = SBX_TRY(receive_one(state, "the folder of the changes"));
  if (plan.artifacts) state.root = SBX_TRY(receive_one(state, "the tree of the artifacts"));
  if (plan.supervision.tty) state.pty_master = SBX_TRY(receive_one(state, "the terminal"));
  // Lost, the kernel would answer ENOSYS where the profile says kill.
  if (state.page.get()->listening.load() != 0)
    state.listener = SBX_TRY(receive_one(state, "the listener of the filter"));
  return state.gateway.finish();
}

}  // namespace sbx::launch
