// Keeps the files that a run's profile wants (`artifacts`): makes a place for them before the
// command starts, notes what the run uses, and collects when it is over.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "artifacts/staging.hpp"
#include "base/error.hpp"
#include "os/fd.hpp"
#include "os/ids.hpp"
#include "plan/plan.hpp"
#include "supervise/clock.hpp"
#include "supervise/outcome.hpp"

namespace sbx::supervise {

class ArtifactKeeper {
 public:
  /// Nothing, unless the plan keeps some. Error: they could not be kept, so the command is not to
  /// run.
  Result<void> prepare(const plan::Plan& plan);
  /// The sandbox's tree, and whose rights the payload has when root has started it.
  void take(os::UniqueFd root, std::optional<std::uint32_t> id) {
    root_ = std::move(root);
    if (id) ids_ = os::Ids{*id, *id};
  }

  void begin_samples(Nanos now);
  [[nodiscard]] std::optional<Nanos> next_sample() const { return sample_due_; }
  [[nodiscard]] bool sample_due(Nanos now) const { return sample_due_ && now >= *sample_due_; }
  /// What is used now, `age` after the start. Of a long run fewer are kept, evenly.
  void sample(Nanos now, Nanos age, const Usage& usage, const plan::Plan& plan);

  /// When the tree has ended and `outcome` is decided: sets its `artifacts`, or adds to what is
  /// undelivered.
  void finish(Nanos age, const plan::Plan& plan, const std::function<bool()>& ended,
              Outcome& outcome);

 private:
  Result<void> finish_with(artifacts::Staging& staging, const plan::Plan& plan,
                           const std::function<bool()>& ended, Outcome& outcome);
  void put_sample(Nanos age, const Usage& usage, const plan::Plan& plan);

  std::optional<artifacts::Staging> staging_{};
  os::UniqueFd root_{};
  std::optional<os::Ids> ids_{};
  std::vector<std::string> samples_{};  ///< each a JSON object
  std::optional<Nanos> sample_due_{};
  Nanos sample_pause_ = 100 * kMillisecond;
};

}  // namespace sbx::supervise
