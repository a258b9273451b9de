#include "cli/report.hpp"

#include <unistd.h>

#include <chrono>
#include <utility>

#include "base/text.hpp"
#include "cli/say.hpp"
#include "supervise/add_cause.hpp"

namespace sbx::cli {
namespace {

using supervise::Outcome;

/// All problems as the one error that a result has room for.
Error joined(const profile::Problems& problems) {
  if (problems.size() == 1) return problems[0];
  std::string what = std::to_string(problems.size()) + " problems";
  for (const Error& problem : problems) {
    Error plain = problem;
    plain.hint.clear();
    what += "; " + plain.to_string();
  }
  return {.kind = problems[0].kind, .what = std::move(what)};
}

}  // namespace

Report::Report(const Reporting& wanted, profile::Problems& problems) : json_(wanted.json) {
  if (!problems.empty()) return;
  if (!wanted.result.empty()) {
    auto opened = ResultFile::open(wanted.result);
    if (opened)
      result_ = *std::move(opened);
    else
      problems.push_back(std::move(opened).error());
  }
  if (result_ && result_->stream() < 0 && wanted.result == wanted.events) {
    problems.push_back(
        {.kind = ErrorKind::usage,
         .what = "--result and --events name the same file " + quote(wanted.result)});
  } else if (!wanted.events.empty()) {
    auto opened = open_stream(wanted.events, "--events");
    if (opened)
      events_ = *std::move(opened);
    else
      problems.push_back(std::move(opened).error());
  }
}

supervise::Sinks Report::sinks(supervise::Nanos started) const {
  supervise::Sinks sinks;
  if (json_) sinks.results.push_back(STDOUT_FILENO);
  if (result_ && result_->stream() >= 0) sinks.results.push_back(result_->stream());
  sinks.events = events_.get();
  sinks.started = started;
  sinks.registered = true;
  return sinks;
}

bool Report::finish(const Outcome& outcome, const plan::Plan& plan) const {
  if (!result_ || result_->stream() >= 0) return true;
  const Result<void> written = result_->write(supervise::to_json(outcome, plan));
  if (!written) say(written.error().to_string());
  return written.has_value();
}

int Report::refuse(const plan::Plan& plan, profile::Problems problems,
                   supervise::Nanos started) const {
  for (Error& problem : problems) supervise::add_cause(problem);
  say(problems);
  // Nobody runs yet: the launcher that a run would have used fails with what is known already.
  const auto failing =
      [&problems](const plan::Plan&, const launch::StdioFds&, int,
                  const launch::Meanwhile&) -> Result<std::unique_ptr<supervise::LiveSandbox>> {
    return std::unexpected(joined(problems));
  };
  plan::Plan quiet = plan;
  quiet.supervision.input = plan::InputMode::null;
  const Outcome outcome = supervise::supervise(quiet, sinks(started), failing);
  for (const std::string& lost : outcome.undelivered) say(lost);
  static_cast<void>(finish(outcome, plan));
  return outcome.process_exit;
}

}  // namespace sbx::cli
