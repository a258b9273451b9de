// Keeps what a run has changed in its workspace (`workspace.keep`): makes a place for it before the
// command starts, fills it when the run is over, and applies it where the profile says so.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "changes/store.hpp"
#include "os/fd.hpp"
#include "plan/plan.hpp"
#include "supervise/clock_steps.hpp"
#include "supervise/outcome.hpp"

namespace sbx::supervise {

class ChangeKeeper {
 public:
  /// Nothing, unless the plan keeps changes. Error: they could not be kept, so the command is not
  /// to run.
  Result<void> prepare(const plan::Plan& plan);
  /// Returns when whatever the host changes from now on has a later time than what it had when
  /// prepare() was called: the command is not to run before.
  void await_tick() const {
    if (place_) wait_past(place_->staging, place_->began_ns);
  }
  /// The folder that the sandbox writes them to; `whole`: a copy of the workspace is in there.
  void take(os::UniqueFd upper, bool whole) {
    upper_ = std::move(upper);
    whole_ = whole;
  }
  /// When the tree has ended and `outcome` is decided: sets its `changes`, or adds to what is
  /// undelivered. `ended`: nobody waits for them any more; then none are kept.
  void finish(const plan::Plan& plan, const std::function<bool()>& ended, Outcome& outcome);

  /// Where they go, and what they are compared with.
  struct Place {
    changes::Store store;
    changes::Staging staging;
    os::UniqueFd lower;
    std::int64_t began_ns = 0;
    ClockOffset clock{};  ///< then
  };

 private:
  static void wait_past(const changes::Staging& staging, std::int64_t began_ns);
  void finish_with(Place& place, const plan::KeepChanges& wanted, const plan::Plan& plan,
                   const std::function<bool()>& ended, Outcome& outcome) const;

  std::optional<Place> place_;
  os::UniqueFd upper_;
  bool whole_ = false;
};

}  // namespace sbx::supervise
