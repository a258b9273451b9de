#include "cli/commands/run.hpp"

#include <signal.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "cli/exit_code.hpp"
#include "cli/narrate.hpp"
#include "cli/prepare.hpp"
#include "cli/report.hpp"
#include "cli/say.hpp"
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
  const auto narrator = Narrator::make(arguments.reporting.ci);
  if (!narrator) problems.push_back(narrator.error());

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
  if (const auto told = narrator->before(plan); !told)
    return report.refuse(plan, {told.error()}, started);
  supervise::Sinks sinks = report.sinks(started);
  sinks.clock = clock;
  sinks.secrets = &planned->secrets;
  const Outcome outcome = supervise::run_sandbox(plan, sinks);
  enter(clock, Stage::result_file);
  const bool delivered = report.finish(outcome, plan) && outcome.undelivered.empty();
  narrator->after(plan, outcome);
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
