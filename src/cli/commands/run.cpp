#include "cli/commands/run.hpp"

#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "cli/exit_code.hpp"
#include "cli/guard_process.hpp"
#include "cli/live_runs.hpp"
#include "cli/narrate.hpp"
#include "cli/prepare.hpp"
#include "cli/refused_run.hpp"
#include "cli/report.hpp"
#include "cli/say.hpp"
#include "cli/secrets.hpp"
#include "cli/timing_text.hpp"
#include "os/process.hpp"
#include "os/pty.hpp"
#include "plan/describe.hpp"
#include "supervise/redaction.hpp"
#include "supervise/registry.hpp"
#include "supervise/supervisor.hpp"

namespace sbx::cli {
namespace {

using profile::Problems;
using supervise::Outcome;
using supervise::RunClock;
using supervise::Stage;

void say_timing(const plan::Plan& plan, const supervise::Redactor& redactor, RunClock& clock) {
  clock.enter(Stage::table, supervise::now_ns());
  supervise::Timing timing = clock.timing(plan);
  // Here, as the table cuts what is too wide for the terminal.
  for (supervise::TimedRow& row : timing.rows) row.text = supervise::redacted(redactor, row.text);
  write_error(timing_text(timing, plan.run_id, os::terminal_columns(STDERR_FILENO)));
}

int dry_run(const Arguments& arguments, const plan::Plan& plan) {
  return print(arguments.reporting.json ? plan::describe_json(plan) + "\n"
                                        : plan::describe_text(plan));
}

/// A name is for finding the run: one that another has, or that nobody could find, is none.
Result<void> check_name(const std::string& name) {
  const auto refused = [](std::string what, std::string hint) {
    return std::unexpected(Error{ErrorKind::usage, std::move(what), "--name", std::move(hint)});
  };
  if (!supervise::is_given_name(name))
    return refused("no name of a run: " + quote(name),
                   "it has 1 to 40 letters, digits, _, - and ., begins with a letter or a digit, "
                   "and could not be part of an id: run-42, and not 42");
  const auto live = SBX_TRY(LiveRuns::open());
  if (const auto other = live.named(name))
    return refused(quote(name) + " is what another live run is called: " + other->run,
                   "end that with `sbx kill " + name + "`, or take another name");
  return {};
}

/// Runs what is planned and tells of its end, which is sbx's own; comes back only from a run that
/// was refused.
int carry_out(Planned& planned, Narrator& narrator, const Report& report, RunClock* clock,
              supervise::Nanos started, const AfterRun& after) {
  const plan::Plan& plan = planned.plan;
  auto secrets = read_secrets(plan, planned.env);
  // Whether one stands in the command's words nobody can tell without them all.
  if (!secrets)
    return report.refuse(empty_plan(plan.run_id, plan.profile_name, {}), secrets.error(), started);
  enter(clock, Stage::prepare_launch);
  if (const auto joined = narrator.join_streams(); !joined)
    return report.refuse(plan, {joined.error()}, started);
  supervise::Sinks sinks = report.sinks(started);
  sinks.clock = clock;
  sinks.secrets = &*secrets;
  sinks.begins = [&](const supervise::Redactor& redactor) {
    return narrator.before(plan, redactor);
  };
  Report::Hold hold;
  report.hold(hold);
  const Outcome outcome = supervise::run_sandbox(plan, sinks);
  enter(clock, Stage::result_file);
  const bool delivered = report.finish(outcome, plan, hold) && outcome.undelivered.empty();
  narrator.after(plan, outcome);
  if (clock != nullptr) say_timing(plan, outcome.redactor, *clock);
  const int code = after ? after({planned.profile, plan, outcome}) : outcome.process_exit;
  // The command's own success must not hide that its result is not there. Everything is written
  // and removed; to free the plan piece by piece would only keep the caller waiting (60 us).
  os::end_process(!delivered && code == kSuccess ? kFailed : code);
}

}  // namespace

int run_command(const Arguments& arguments, supervise::Nanos started, const EditPlan& edit_plan,
                const AfterRun& after) {
  std::optional<RunClock> kept;
  RunClock* const clock = arguments.timing ? &kept.emplace(started) : nullptr;
  Problems problems;
  if (auto guarded = guard_process(); !guarded) problems.push_back(std::move(guarded).error());
  // Of no run there is no file; that it would be refused is told all the same.
  const Reporting dry{.json = arguments.reporting.json};
  const Report report(arguments.dry_run ? dry : arguments.reporting, problems);
  auto run_id = make_run_id();
  if (!run_id) problems.push_back(run_id.error());
  if (!arguments.name.empty())
    if (auto named = check_name(arguments.name); !named)
      problems.push_back(std::move(named).error());
  auto narrator = Narrator::make(arguments.reporting.ci);
  if (!narrator) problems.push_back(narrator.error());

  const std::string id = run_id.value_or("");
  plan::Plan refused =
      empty_plan(id, arguments.operands.empty() ? "default" : arguments.operands[0], {});
  const auto tell = [&](const profile::Profile& profile) {
    tell_words(profile, arguments.command, refused);
  };
  auto planned =
      problems.empty() ? prepare(arguments, id, clock, tell) : std::unexpected(std::move(problems));
  if (!planned) return report.refuse(refused, planned.error(), started);
  plan::Plan& plan = planned->plan;
  plan.run_name = arguments.name;
  if (edit_plan) edit_plan(plan);
  if (arguments.dry_run) return dry_run(arguments, plan);

  return carry_out(*planned, *narrator, report, clock, started, after);
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
