#include "cli/commands/run.hpp"

#include <signal.h>
#include <unistd.h>
#include <algorithm>

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/exit_code.hpp"
#include "cli/prepare.hpp"
#include "cli/report.hpp"
#include "cli/say.hpp"
#include "cli/table.hpp"
#include "cli/timing_text.hpp"
#include "os/process.hpp"
#include "os/pty.hpp"
#include "plan/describe.hpp"
#include "supervise/supervisor.hpp"

namespace sbx::cli {
namespace {

using profile::Problems;
using supervise::Outcome;
using supervise::RunClock;
using supervise::Stage;
using supervise::Status;

/// The plan of a run that never came to have one; for its result.
plan::Plan empty_plan(std::string run_id, std::string profile, std::vector<std::string> command) {
  plan::Plan plan;
  plan.run_id = std::move(run_id);
  plan.profile_name = std::move(profile);
  plan.argv = std::move(command);
  plan.limits = {};
  plan.limits.memory.reset();
  plan.isolation.tier = "none";
  return plan;
}

/// What a person would not see from the command's own output.
void say_end(const Outcome& outcome) {
  switch (outcome.status) {
    case Status::timeout:
    case Status::cpu_limit:
    case Status::idle_timeout:
    case Status::oom:
    case Status::output_limit:
    case Status::disk_limit:
    case Status::seccomp:
    case Status::not_found:
    case Status::not_executable:
      say(std::string(supervise::to_string(outcome.status)) + ": " + outcome.reason.text);
      return;
    case Status::setup_error:
    case Status::internal_error:
      say(outcome.error ? outcome.error->to_string() : outcome.reason.text);
      return;
    case Status::ok:
    case Status::nonzero:
    case Status::signal:
    case Status::interrupted:
      return;
  }
}

/// One line for everything that this run goes without, one for each warning.
void say_before(const plan::Plan& plan) {
  const std::vector<std::string>& approximate = plan.isolation.approximate;
  std::vector<std::string> missing = plan.isolation.degraded;
  std::erase_if(missing, [&approximate](const std::string& control) {
    return std::ranges::find(approximate, control) != approximate.end();
  });
  std::vector<std::string> parts;
  if (!missing.empty()) parts.push_back("not enforced on this host: " + join(missing, ", "));
  if (!approximate.empty()) parts.push_back("kept only approximately: " + join(approximate, ", "));
  if (!parts.empty()) say("degraded: " + join(parts, "; "));
  for (const std::string& warning : plan.warnings) say("warning: " + warning);
}

/// A person who sees a command fail wants to know what it was refused.
void say_blocked(const plan::Plan& plan, const Outcome& outcome) {
  constexpr std::size_t kMost = 5;
  if (!plan.supervision.summary || outcome.process_exit == kSuccess) return;
  if (!outcome.denials) return;
  std::size_t blocked = 0;
  for (const supervise::Denial& denial : *outcome.denials) {
    if (denial.passed || ++blocked > kMost) continue;
    say("blocked: " + supervise::denial_text(denial) +
        (denial.allow_with.empty() ? "; no profile can allow it"
                                   : "; a profile allows it with  " + denial.allow_with));
  }
  if (blocked > kMost)
    say("blocked: " + std::to_string(blocked - kMost) + " more kinds; --result FILE lists them");
}

/// Whoever is there to read it wants to know how to get at them.
void say_kept(const plan::Plan& plan, const Outcome& outcome) {
  if (!plan.supervision.summary || !outcome.changes || outcome.changes->run.empty()) return;
  const changes::Totals& sum = outcome.changes->totals;
  say("changes kept: " + std::to_string(sum.added) + " added, " + std::to_string(sum.modified) +
      " modified, " + std::to_string(sum.deleted) + " deleted; see  sbx diff " +
      outcome.changes->run);
}

void say_artifacts(const plan::Plan& plan, const Outcome& outcome) {
  if (!plan.supervision.summary || outcome.artifacts.empty()) return;
  std::uint64_t bytes = 0;
  for (const artifacts::Artifact& artifact : outcome.artifacts) bytes += artifact.bytes;
  const std::size_t count = outcome.artifacts.size();
  say("artifacts kept: " + std::to_string(count) + (count == 1 ? " file, " : " files, ") +
      short_bytes(bytes) + "; see  sbx artifacts ls " + plan.run_id);
}

void say_after(const plan::Plan& plan, const Outcome& outcome) {
  say_end(outcome);
  say_blocked(plan, outcome);
  say_kept(plan, outcome);
  say_artifacts(plan, outcome);
  for (std::size_t i = plan.warnings.size(); i < outcome.warnings.size(); ++i)
    say("warning: " + outcome.warnings[i]);
  for (const std::string& lost : outcome.undelivered) say(lost);
  for (const std::string& note : outcome.notes)
    log::write(log::Level::info, "run " + plan.run_id + ": " + note);
  log::write(log::Level::info, "run " + plan.run_id + ": " +
                                   std::string(supervise::to_string(outcome.status)) + ", " +
                                   outcome.reason.text);
}

void say_timing(const plan::Plan& plan, RunClock& clock) {
  clock.enter(Stage::table, supervise::now_ns());
  // Standard error is where a failure to write would be told.
  std::ignore = write_all(STDERR_FILENO, timing_text(clock.timing(plan), plan.run_id,
                                                     os::terminal_columns(STDERR_FILENO)));
}

/// Before anything is opened: no descriptor of the caller's may reach the payload, and a reader
/// that is gone is an error, not our end.
Result<void> guard_process() {
  constexpr unsigned kFirst = STDERR_FILENO + 1;
  if (const auto closed = os::cloexec_from(kFirst); !closed)
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "cannot mark the caller's descriptors close-on-exec",
                                 .hint = "sbx needs Linux 5.12 or later",
                                 .sys_errno = closed.error().value,
                                 .feature = Feature::system_calls});
  (void)::signal(SIGPIPE, SIG_IGN);  // cannot fail for a known signal
  return {};
}

int dry_run(const Arguments& arguments, const plan::Plan& plan) {
  return print(arguments.reporting.json ? plan::describe_json(plan) + "\n"
                                        : plan::describe_text(plan));
}

}  // namespace

int run_command(const Arguments& arguments, supervise::Nanos started, const EditPlan& edit_plan,
                const AfterRun& after) {
  std::optional<RunClock> kept;
  RunClock* const clock = arguments.timing ? &kept.emplace(started) : nullptr;
  Problems problems;
  if (auto guarded = guard_process(); !guarded) problems.push_back(std::move(guarded).error());
  const Reporting nothing;
  const Report report(arguments.dry_run ? nothing : arguments.reporting, problems);
  auto run_id = make_run_id();
  if (!run_id) problems.push_back(run_id.error());

  const std::string id = run_id.value_or("");
  auto planned =
      problems.empty() ? prepare(arguments, id, clock) : std::unexpected(std::move(problems));
  if (!planned) {
    const std::string name = arguments.operands.empty() ? "default" : arguments.operands[0];
    return report.refuse(empty_plan(id, name, arguments.command), planned.error(), started);
  }
  plan::Plan& plan = planned->plan;
  if (edit_plan) edit_plan(plan);
  if (arguments.dry_run) return dry_run(arguments, plan);

  enter(clock, Stage::prepare_launch);
  say_before(plan);
  supervise::Sinks sinks = report.sinks(started);
  sinks.clock = clock;
  sinks.secrets = &planned->secrets;
  const Outcome outcome = supervise::run_sandbox(plan, sinks);
  enter(clock, Stage::result_file);
  const bool delivered = report.finish(outcome, plan) && outcome.undelivered.empty();
  say_after(plan, outcome);
  if (clock != nullptr) say_timing(plan, *clock);
  if (after) os::end_process(after({planned->profile, plan, outcome}));
  // The command's own success must not hide that its result is not there. Everything is written
  // and removed; to free the plan piece by piece would only keep the caller waiting (60 us).
  os::end_process(!delivered && outcome.process_exit == kSuccess ? kFailed : outcome.process_exit);
}

int refuse_run(const Reporting& reporting, const std::string& profile_name,
               const std::vector<std::string>& command, const Problems& problems,
               supervise::Nanos started) {
  Problems all = problems;
  if (auto guarded = guard_process(); !guarded) all.push_back(std::move(guarded).error());
  Problems unopened;
  const Report report(reporting, unopened);
  all.insert(all.end(), unopened.begin(), unopened.end());
  return report.refuse(empty_plan(make_run_id().value_or(""), profile_name, command), all, started);
}

}  // namespace sbx::cli
