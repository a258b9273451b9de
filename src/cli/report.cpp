#include "cli/report.hpp"

#include <unistd.h>

#include <chrono>
#include <utility>

#include "base/text.hpp"
#include "cli/junit.hpp"
#include "cli/narrate.hpp"
#include "cli/refused_run.hpp"
#include "cli/say.hpp"
#include "supervise/add_cause.hpp"

namespace sbx::cli {
namespace {

using supervise::Outcome;

void open_file(const std::string& target, const char* flag, Patience& patience,
               std::optional<ResultFile>& file, profile::Problems& problems) {
  if (target.empty()) return;
  auto opened = ResultFile::open(target, flag, patience);
  if (opened)
    file = *std::move(opened);
  else
    problems.push_back(std::move(opened).error());
}

bool is_file(const std::optional<ResultFile>& file) { return file && file->stream() < 0; }

/// A file is replaced at the end, and with it what another has written there.
std::optional<Error> collision(const Reporting& wanted, bool result, bool junit) {
  const auto same = [](const char* one, const char* other, const std::string& target) {
    return Error{
        .kind = ErrorKind::usage,
        .what = std::string(one) + " and " + other + " name the same file " + quote(target)};
  };
  if (result && same_file(wanted.result, wanted.events))
    return same("--result", "--events", wanted.result);
  if (junit && same_file(wanted.junit, wanted.events))
    return same("--junit", "--events", wanted.junit);
  if (junit && same_file(wanted.junit, wanted.result))
    return same("--result", "--junit", wanted.junit);
  return std::nullopt;
}

bool finish_file(const ResultFile& file, std::string_view text, bool patient) {
  if (file.stream() < 0) {
    const Result<void> written = file.write(text);
    if (!written) say(written.error().to_string());
    return written.has_value();
  }
  const std::string lines = std::string(text) + "\n";
  const auto written =
      patient ? write_all(file.stream(), lines) : write_patiently(file.stream(), lines);
  if (!written)
    say(Error{.kind = ErrorKind::host,
              .what = "--junit: it could not be written",
              .sys_errno = written.error().value}
            .to_string());
  return written.has_value();
}

}  // namespace

Report::Report(const Reporting& wanted, profile::Problems& problems)
    : json_(wanted.json), ci_(wanted.ci) {
  if (!problems.empty()) return;
  Patience patience;
  open_file(wanted.result, "--result", patience, result_, problems);
  open_file(wanted.junit, "--junit", patience, junit_, problems);
  if (auto same = collision(wanted, is_file(result_), is_file(junit_))) {
    problems.push_back(*std::move(same));
  } else if (!wanted.events.empty()) {
    auto opened = open_stream(wanted.events, "--events", patience);
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

void Report::hold(Hold& hold) const {
  if (is_file(result_) || is_file(junit_)) hold.emplace();
}

bool Report::finish(const Outcome& outcome, const plan::Plan& plan, Hold& hold) const {
  if (!is_file(result_) && !junit_) return true;
  const std::string result = supervise::to_json(outcome, plan);
  bool written = true;
  if (result_ && result_->stream() < 0) written = finish_file(*result_, result, true);
  if (!is_file(junit_)) hold.reset();
  if (junit_) written = finish_file(*junit_, junit_of(result), !outcome.ended) && written;
  hold.reset();
  return written;
}

int Report::refuse(const plan::Plan& plan, profile::Problems problems,
                   supervise::Nanos started) const {
  for (Error& problem : problems) supervise::add_cause(problem);
  say_hints_once(problems);
  if (const auto narrator = Narrator::make(ci_ && !json_); narrator)
    for (const Error& problem : problems) narrator->error("", problem.to_string());
  else
    say(problems);
  const Outcome outcome = refused_run(plan, problems, sinks(started));
  for (const std::string& lost : outcome.undelivered) say(lost);
  Hold none;
  static_cast<void>(finish(outcome, plan, none));
  return outcome.process_exit;
}

}  // namespace sbx::cli
