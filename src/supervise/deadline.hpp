// When a run has had its time: wall, idle and CPU limits, and how a run that must end is ended.
// Pure arithmetic over times that the caller reads.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/plan.hpp"
#include "supervise/clock.hpp"
#include "supervise/outcome.hpp"

namespace sbx::supervise {

/// The three time limits of a run. The clocks start at the payload's exec.
class Deadlines {
 public:
  /// `cpus`: how many can work for the tree at once; it bounds how fast CPU time can pass.
  Deadlines(const plan::Supervision& limits, double cpus);

  void start(Nanos exec);
  /// The payload wrote something, or could not because a slow reader holds its output back.
  void note_output(Nanos now) { last_output_ = now; }
  /// At `when` there was nothing of it to be read. Else silence is not known: what it has written
  /// meanwhile may wait for us, who had no processor.
  void note_silence(Nanos when) { silent_at_ = when; }
  /// For how long it has written nothing.
  [[nodiscard]] Nanos silence(Nanos now) const { return now - last_output_; }
  /// The tree's CPU time, read now; nullopt: this host cannot tell, so the limit cannot be kept
  /// (the plan then lists it as degraded). `longest`: until the next reading, at most.
  void note_cpu(Nanos now, std::optional<std::uint64_t> used_us, Nanos longest = INT64_MAX);
  /// Is it time to read the tree's CPU time again?
  [[nodiscard]] bool cpu_check_due(Nanos now) const;
  /// The run was stopped (SIGTSTP), or paused, for so long; that time does not count.
  void shift(Nanos stopped, Nanos now);
  /// How long that was in all.
  [[nodiscard]] Nanos stopped() const { return stopped_; }

  /// Which limit has been reached, if any.
  [[nodiscard]] std::optional<KilledFor> expired(Nanos now) const;
  /// When to ask again; nullopt: no need to.
  [[nodiscard]] std::optional<Nanos> next() const;

 private:
  std::optional<Nanos> wall_, idle_;
  std::optional<std::uint64_t> cpu_us_;
  double cpus_;
  Nanos start_ = 0;
  Nanos stopped_ = 0;
  Nanos last_output_ = 0;
  Nanos silent_at_ = 0;
  Nanos cpu_check_ = 0;
  bool cpu_spent_ = false;
};

/// TERM, grace, KILL. With no grace it is KILL at once.
class Escalation {
 public:
  enum class Act { nothing, terminate, kill };

  /// Begins to end the run. Later calls change nothing but may shorten the grace.
  void begin(Nanos now, Nanos grace);
  /// What to do now; each act comes once.
  Act take(Nanos now);
  [[nodiscard]] std::optional<Nanos> next() const;
  [[nodiscard]] bool begun() const { return kill_at_.has_value(); }
  /// take() has said so: what is left of the run has no time for anything.
  [[nodiscard]] bool killed() const { return killed_; }
  /// The run was stopped for so long, in which nobody could heed anything.
  void shift(Nanos stopped);

 private:
  std::optional<Nanos> kill_at_;
  bool terminate_ = false;  ///< still to be sent
  bool killed_ = false;
};

}  // namespace sbx::supervise
