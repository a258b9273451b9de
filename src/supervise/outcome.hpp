// How a run ended, decided from evidence: a type with documented reasons, not an int. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "artifacts/artifact.hpp"
#include "base/error.hpp"
#include "changes/change.hpp"
#include "egress/account.hpp"
#include "plan/plan.hpp"
#include "redact/stream.hpp"
#include "supervise/denial.hpp"
#include "supervise/observations.hpp"
#include "supervise/timing.hpp"

namespace sbx::supervise {

/// Finds the run's secrets; null: nothing is looked for.
using Redactor = std::shared_ptr<const redact::Matcher>;

/// The contract's `status`.
enum class Status {
  ok,
  nonzero,
  signal,
  timeout,
  cpu_limit,
  idle_timeout,
  oom,
  output_limit,
  disk_limit,
  seccomp,
  interrupted,
  not_found,
  not_executable,
  setup_error,
  internal_error,
};

/// Which of our own actions ended the payload, if one did (the first wins).
enum class KilledFor {
  nothing,
  wall,
  cpu,
  idle,
  output,
  memory,
  sockets,
  interrupt,
  command,
  filter,
  place,
  leak
};

/// Everything seen; decide() turns it into a status, an exit code and a reason.
struct Evidence {
  std::optional<int> wait_status{};  ///< of the payload, from init's shared page (waitpid(2) form)
  std::uint64_t payload_cpu_us = 0;  ///< used by it and by the children that it has reaped
  int exec_errno = 0;                ///< resolve or exec failed with this
  KilledFor killed_for = KilledFor::nothing;
  double silent_ms = 0;      ///< without output, when limits.idle ended it
  double stopped_ms = 0;     ///< paused, or stopped by job control
  int interrupt_signal = 0;  ///< the forwarded signal after which the payload ended
  int command_signal = 0;    ///< the same, sent by `sbx kill --signal`
  std::optional<std::uint64_t> oom_kills{};
  std::optional<std::uint64_t> memory_high_events{};
  std::optional<std::uint64_t> pids_limit_hits{};
  std::string broken_place{};  ///< a watched name came into being: one sentence
  std::optional<bool> memory_limit_reached{};
  std::optional<std::uint64_t> unread_bytes{};  ///< what its sockets held (os/unread.hpp)
  bool filter_kill = false;  ///< we killed the command for a call that its filter denies
  bool init_died = false;    ///< init ended without reporting the payload's status
  int init_wait_status = 0;
  std::optional<Error> setup_error{};
  std::optional<Error> init_error{};  ///< of its own steps, when the command was executed already
};

/// Time in which some, or all of the processes had to wait for it.
struct Pressure {
  std::optional<std::uint64_t> some_us{}, full_us{};
};

struct Usage {  ///< nullopt: this host cannot say
  std::optional<std::uint64_t> cpu_user_us{}, cpu_system_us{}, cpu_throttled_us{};
  std::optional<std::uint64_t> memory_now{}, memory_peak{}, oom_kills{}, memory_high_events{};
  std::optional<bool> memory_limit_reached{};
  std::optional<std::uint64_t> pids_now{}, pids_peak{}, pids_limit_hits{};
  std::optional<std::uint64_t> io_read{}, io_written{};
  Pressure cpu_pressure{}, memory_pressure{}, io_pressure{};
};

struct StreamRecord {
  std::string captured{};   ///< --json: the bytes kept (head and tail around a cut)
  bool keep_text = false;   ///< captured is meaningful (--json)
  std::uint64_t bytes = 0;  ///< written by the payload
  std::uint64_t left = 0;   ///< of these once secrets are masked: what the limit is about
  bool truncated = false;
  std::string sha256{};  ///< over all bytes written, also those dropped; empty: not metered
};

/// What became of the changes of a workspace that are kept.
struct KeptChanges {
  changes::Totals totals{};
  std::string run{};     ///< of `sbx diff`; empty: nothing is kept, or not any more
  bool applied = false;  ///< they are in the workspace now
};

struct Reason {
  std::string code{};   ///< "exited", "wall_limit", "memory_limit", ...
  std::string text{};   ///< one sentence
  std::string limit{};  ///< as in the profile, "60s"; empty: none
  std::string observed{};
};

struct Outcome {
  Status status = Status::internal_error;
  Reason reason{};
  std::string phase = "run";       ///< "setup", "run"
  bool launched = false;           ///< the command may have done something
  bool ended = false;              ///< not by itself, so that no reader is waited for without end
  std::optional<int> exit_code{};  ///< the payload's own
  std::optional<int> signal{};
  int process_exit = 125;  ///< what sbx itself exits with
  std::chrono::system_clock::time_point started_at{};
  double wall_ms = 0;
  double setup_ms = 0;
  Usage usage{};
  bool metered = false;
  StreamRecord out{};
  StreamRecord err{};
  std::optional<std::vector<Denial>>
      denials{};  ///< in the order of their first; nullopt: not heard
  std::vector<egress::Connections> connections{};  ///< of a network with an allow list
  Observations observations{};                     ///< of Learning; else empty
  bool copied = false;                             ///< overlayfs refused, and a copy stood in
  std::optional<KeptChanges> changes{};            ///< nullopt: none are kept
  std::vector<artifacts::Artifact> artifacts{};    ///< those that are kept
  redact::Counts redactions{};                     ///< masks in the output
  Redactor redactor{};                             ///< for what is still to be told
  std::vector<std::string> warnings{};  ///< the plan's, and what the run adds; for the result
  /// What was to be written, kept or applied and was not, and why; for the result and stderr.
  std::vector<std::string> undelivered{};
  bool result_lost = false;          ///< somebody who was to have the result has it not
  std::vector<std::string> notes{};  ///< for the log
  std::optional<Error> error{};      ///< setup_error, internal_error: as it was, for stderr
  std::optional<Timing> timing{};    ///< until the result is written; none: not asked for
};

/// "not_found" and so on, as the contract spells it.
std::string_view to_string(Status status);

/// Decides status, reason, exit code and signal of `outcome` from what was seen.
void decide(const Evidence& evidence, const plan::Plan& plan, Outcome& outcome);

/// One of the result's artifacts.
std::string to_json(const artifacts::Artifact& artifact);

/// One of the result's network connections.
std::string to_json(const egress::Connections& connections);

/// The result object, schema sbx.result/1, as one line of JSON without a newline.
std::string to_json(const Outcome& outcome, const plan::Plan& plan);
/// The same in pieces of 64 KiB, as long as `take` says yes; false: it said no. Captured bytes can
/// be six times as long in JSON, which is so never in memory as a whole.
bool write_json(const Outcome& outcome, const plan::Plan& plan,
                const std::function<bool(std::string_view)>& take);

}  // namespace sbx::supervise
