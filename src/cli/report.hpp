// Where a run reports to (`--json`, `--result`, `--events`, `--junit`): opened before anything else
// can fail, so that a run that never was is reported too.
#pragma once

#include <optional>
#include <string>

#include "cli/arguments.hpp"
#include "cli/files.hpp"
#include "os/fd.hpp"
#include "os/signals.hpp"
#include "supervise/supervisor.hpp"

namespace sbx::cli {

class Report {
 public:
  /// Opens what can be opened; what cannot is added to `problems`.
  Report(const Reporting& wanted, profile::Problems& problems);

  /// For the supervisor, which writes the streams; the descriptors stay ours.
  [[nodiscard]] supervise::Sinks sinks(supervise::Nanos started) const;
  /// Held by hold() until finish(), if there are files to make: a signal that comes as the command
  /// has ended, when nobody but us can heed it, must not leave the caller without the result.
  using Hold = std::optional<os::SignalHold>;
  void hold(Hold& hold) const;
  /// After a run: the result file, and that of --junit. False, and said on standard error, when one
  /// could not be written. `hold` ends here, and before anything that waits for a reader.
  [[nodiscard]] bool finish(const supervise::Outcome& outcome, const plan::Plan& plan,
                            Hold& hold) const;
  /// Instead of a run: everything, with a result that says `problems`. Returns the exit code.
  int refuse(const plan::Plan& plan, profile::Problems problems, supervise::Nanos started) const;

 private:
  bool json_ = false;
  bool ci_ = false;
  std::optional<ResultFile> result_;
  std::optional<ResultFile> junit_;
  os::UniqueFd events_;
};

}  // namespace sbx::cli
