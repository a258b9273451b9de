#include "cli/refused_run.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "supervise/live_sandbox.hpp"

namespace sbx::cli {
namespace {

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

void tell_words(const profile::Profile& profile, std::vector<std::string> command,
                plan::Plan& plan) {
  plan.supervision.redact_patterns = profile.redact_patterns;
  plan.supervision.redacts = !profile.redact_patterns.empty();
  if (std::ranges::none_of(profile.secrets, &profile::Secret::redact))
    plan.argv = std::move(command);
}

supervise::Outcome refused_run(const plan::Plan& plan, const profile::Problems& problems,
                               const supervise::Sinks& sinks) {
  // Nobody runs yet: the launcher that a run would have used fails with what is known already.
  const auto failing =
      [&problems](const plan::Plan&, const launch::StdioFds&, int,
                  const launch::Meanwhile&) -> Result<std::unique_ptr<supervise::LiveSandbox>> {
    return std::unexpected(joined(problems));
  };
  plan::Plan quiet = plan;
  quiet.supervision.input = plan::InputMode::null;
  return supervise::supervise(quiet, sinks, failing);
}

}  // namespace sbx::cli
