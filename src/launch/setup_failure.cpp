#include "launch/setup_failure.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "os/pass_descriptors.hpp"
#include "os/process.hpp"
#include "plan/hints.hpp"

namespace sbx::launch {
namespace {

/// The other one is gone without a word, and who is left has only noticed: we ourselves live.
bool is_lost_peer(int error) { return error == os::kPeerGone; }

/// Was it init that was killed? Then all the others were, too. Looks without reaping it.
bool init_was_killed(const Sandbox::State& state) {
  constexpr int kPatienceMs = 1000;  // it is on its way out, or it lives and the payload was killed
  ::pollfd ended{state.init_pidfd.get(), POLLIN, 0};
  ::siginfo_t how{};
  return ::poll(&ended, 1, kPatienceMs) == 1 &&
         ::waitid(P_PIDFD, static_cast<::id_t>(state.init_pidfd.get()), &how,
                  WEXITED | WNOHANG | WNOWAIT) == 0 &&
         how.si_code != CLD_EXITED && how.si_pid != 0;
}

/// Did something kill init before we do? It ends once, by the first signal of that kind
/// (signal(7)).
bool another_killed_init(const Sandbox::State& state) {
  const int init = state.init_pidfd.get();
  ::siginfo_t how{};
  if (const auto sent = os::signal_process(init, SIGKILL); !sent && sent.error().value != ESRCH)
    return false;
  return ::waitid(P_PIDFD, static_cast<::id_t>(init), &how, WEXITED | WNOWAIT) == 0 &&
         how.si_code != CLD_EXITED && how.si_status != SIGKILL;
}

/// Which of a step's many paths it was; empty: it has one, or none.
std::string place_of(const plan::Plan& plan, const SharedPage& page, const FailureRecord& failed) {
  const auto& action = plan.steps[static_cast<std::size_t>(failed.step)].action;
  const auto* const landlock = std::get_if<plan::ApplyLandlock>(&action);
  const std::int32_t rule = page.rule.load();
  if (landlock == nullptr || rule < 0) return {};
  return landlock->rules[static_cast<std::size_t>(rule)].path;
}

}  // namespace

Error setup_failure(const plan::Plan& plan, Sandbox::State& state) {
  const SharedPage& page = *state.page.get();
  const FailureRecord failed = page.failed.load();
  if (failed.step >= 0 && !is_lost_peer(failed.error))
    return plan::step_error(plan, static_cast<std::size_t>(failed.step), failed.error,
                            place_of(plan, page, failed));
  const bool payload_lived = page.payload_step.load() >= 0;
  if (failed.step >= 0 && !payload_lived)
    return {.kind = ErrorKind::setup, .what = "the payload was killed before its first step"};
  const int last =
      payload_lived && !init_was_killed(state) ? page.payload_step.load() : page.init_step.load();
  if (last < 0) return {.kind = ErrorKind::setup, .what = "init ended before its first step"};
  Error error = plan::step_error(plan, static_cast<std::size_t>(last), 0, {});
  error.what += ": killed while at it";
  return error;
}

Error attend_failure(const plan::Plan& plan, Sandbox::State& state, Error error) {
  // When init has failed already, or was killed, whatever we tried on it failed because of that.
  if (state.page.get()->failed.load().step >= 0 || is_lost_peer(error.sys_errno) ||
      another_killed_init(state))
    return setup_failure(plan, state);
  return error;
}

std::optional<Error> Sandbox::failure(const plan::Plan& plan) const {
  if (state_->page.get()->failed.load().step < 0) return std::nullopt;
  return setup_failure(plan, *state_);
}

}  // namespace sbx::launch
