#include "cli/narrate.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/absent_command.hpp"
#include "cli/exit_code.hpp"
#include "cli/say.hpp"
#include "cli/table.hpp"
#include "supervise/redaction.hpp"

namespace sbx::cli {
namespace {

using supervise::Outcome;
using supervise::redacted;
using supervise::Redactor;
using supervise::Status;

/// The reason, where a person would not see it from the command's own output.
std::string said_of(const Outcome& outcome) {
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
      return std::string(supervise::to_string(outcome.status)) + ": " + outcome.reason.text;
    case Status::setup_error:
    case Status::internal_error:
      return outcome.error ? outcome.error->to_string() : outcome.reason.text;
    case Status::signal:
      // It was sbx that ended it. (So it is with git_protect, of which a warning tells.)
      if (outcome.reason.code == "secret_leaked") return "signal: " + outcome.reason.text;
      return "";
    case Status::ok:
    case Status::nonzero:
    case Status::interrupted:
      return "";
  }
  return "";
}

std::string command_hint(const plan::Plan& plan, Status status) {
  if (status == Status::not_found) return absent_command_hint(plan);
  return status == Status::not_executable ? refused_command_hint(plan) : "";
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

/// The last line of a run in a log: how, after how long, and where to look for more.
std::string summary(const plan::Plan& plan, const Outcome& outcome) {
  std::array<char, 48> seconds{};
  (void)std::snprintf(seconds.data(), seconds.size(), "%.2f s", outcome.wall_ms / 1000);
  std::string text = std::string(supervise::to_string(outcome.status)) + " after " + seconds.data();
  if (!outcome.undelivered.empty()) text += ", not all delivered";
  if (outcome.usage.memory_peak)
    text += ", " + short_bytes(outcome.usage.memory_peak) + " of memory at most";
  return text + " (run " + plan.run_id + ")";
}

/// A word that no payload guesses; letters and digits.
Result<std::string> secret_word() {
  std::array<std::uint32_t, 4> random{};
  if (::getrandom(random.data(), sizeof random, 0) != static_cast<ssize_t>(sizeof random))
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "no random number for the marks of --ci",
                                 .sys_errno = errno});
  std::string word;
  for (const std::uint32_t part : random) {
    std::array<char, 12> text{};
    (void)std::snprintf(text.data(), text.size(), "%08x", part);
    word += text.data();
  }
  return word;
}

void print_log(std::string_view text) {
  static bool stuck = false;
  const auto written = write_patiently(STDOUT_FILENO, text, stuck ? 0 : kPatienceMs);
  // As with every line of say(): where a failure would be told has failed.
  stuck = stuck || (!written && written.error().value == ETIMEDOUT);
}

/// After it the service obeys nothing that is printed, so the command waits for all of it.
Result<void> open_log(std::string_view text) {
  constexpr int kOpeningPatienceMs = 2 * kPatienceMs;  // a log that has just begun
  const auto written = write_patiently(STDOUT_FILENO, text, kOpeningPatienceMs);
  if (written) return {};
  return std::unexpected(Error{
      .kind = ErrorKind::host,
      .what = "--ci: the line that keeps the service from obeying the command's output cannot be "
              "written to standard output",
      .sys_errno = written.error().value});
}

}  // namespace

std::string degraded_text(const plan::Plan& plan) {
  const std::vector<std::string>& approximate = plan.isolation.approximate;
  std::vector<std::string> missing = plan.isolation.degraded;
  std::erase_if(missing, [&approximate](const std::string& control) {
    return std::ranges::find(approximate, control) != approximate.end();
  });
  std::vector<std::string> parts;
  if (!missing.empty()) parts.push_back("not enforced on this host: " + join(missing, ", "));
  if (!approximate.empty()) parts.push_back("kept only approximately: " + join(approximate, ", "));
  return parts.empty() ? "" : "degraded: " + join(parts, "; ");
}

Result<Narrator> Narrator::make(bool ci) {
  Narrator narrator;
  if (!ci) return narrator;
  const CiService service = find_ci([](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  });
  narrator.ci_.emplace(service, SBX_TRY(secret_word()));
  return narrator;
}

Result<void> Narrator::join_streams() const {
  if (ci_ && ci_->needs_one_stream() && ::dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "--ci: cannot put standard error on standard output",
                                 .sys_errno = errno});
  return {};
}

void Narrator::lacks(const plan::Plan& plan, const Redactor& redactor) const {
  if (const std::string text = degraded_text(plan); !text.empty()) warning(text);
  for (const std::string& text : plan.warnings) warning("warning: " + redacted(redactor, text));
}

Result<void> Narrator::before(const plan::Plan& plan, const Redactor& redactor) {
  begun_ = true;
  lacks(plan, redactor);
  // Without the arguments, which may be long.
  const std::string title = "sbx: " + (plan.argv.empty() ? "" : plan.argv.front()) + ", profile " +
                            plan.profile_name + ", run " + plan.run_id;
  if (ci_)
    SBX_CHECK(open_log(ci_->opening(redacted(redactor, title), std::chrono::system_clock::now())));
  return {};
}

void Narrator::after(const plan::Plan& plan, const Outcome& outcome) const {
  if (!begun_) lacks(plan, outcome.redactor);
  // Without it the service goes on obeying nothing.
  if (ci_ && begun_) print_log(ci_->closing(std::chrono::system_clock::now()));
  end(plan, outcome);
  blocked(plan, outcome);
  say_kept(plan, outcome);
  say_artifacts(plan, outcome);
  for (std::size_t i = plan.warnings.size(); i < outcome.warnings.size(); ++i)
    warning("warning: " + outcome.warnings[i]);
  for (const std::string& lost : outcome.undelivered) error("not written", lost);
  if (ci_) say(summary(plan, outcome));
  for (const std::string& note : outcome.notes)
    log::write(log::Level::info, "run " + plan.run_id + ": " + note);
  log::write(log::Level::info, "run " + plan.run_id + ": " +
                                   std::string(supervise::to_string(outcome.status)) + ", " +
                                   outcome.reason.text);
}

void Narrator::error(std::string_view title, std::string_view text) const {
  tell(CiLevel::error, title, text);
}

void Narrator::warning(std::string_view text) const { tell(CiLevel::warning, "", text); }

void Narrator::tell(CiLevel level, std::string_view title, std::string_view text) const {
  const std::string full = "sbx" + (title.empty() ? "" : ": " + std::string(title));
  const std::string line = ci_ ? ci_->annotation(level, full, text) : "";
  if (line.empty()) return say(text);
  print_log(line);
}

void Narrator::end(const plan::Plan& plan, const Outcome& outcome) const {
  const std::string_view status = supervise::to_string(outcome.status);
  if (std::string text = said_of(outcome); !text.empty()) {
    if (const std::string hint = command_hint(plan, outcome.status); !hint.empty())
      text += "\n  " + redacted(outcome.redactor, hint);
    return error(status, text);
  }
  // In a log of many steps nobody sees which of them has failed.
  if (ci_ && outcome.status != Status::ok)
    error(status,
          (plan.argv.empty() ? "" : quote(redacted(outcome.redactor, plan.argv.front())) + ": ") +
              outcome.reason.text);
}

/// A person who sees a command fail wants to know what it was refused.
void Narrator::blocked(const plan::Plan& plan, const Outcome& outcome) const {
  constexpr std::size_t kMost = 5;
  if (!plan.supervision.summary || outcome.process_exit == kSuccess) return;
  if (!outcome.denials) return;
  std::size_t count = 0;
  for (const supervise::Denial& denial : *outcome.denials) {
    if (denial.passed || ++count > kMost) continue;
    warning("blocked: " + supervise::denial_text(denial) +
            (denial.allow_with.empty() ? "; no line of a profile allows it"
                                       : "; a profile allows it with  " + denial.allow_with));
  }
  if (count > kMost)
    say("blocked: " + std::to_string(count - kMost) + " more kinds; --result FILE lists them");
}

}  // namespace sbx::cli
