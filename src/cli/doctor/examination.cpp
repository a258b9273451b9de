#include "cli/doctor/examination.hpp"

#include <cerrno>
#include <utility>

#include "os/feature_trials.hpp"
#include "os/surroundings.hpp"

namespace sbx::cli::doctor {
namespace {

diagnose::Cause cause_of(const TriedFeature& tried, const Surroundings& around) {
  if (tried.availability == Availability::refused) {
    const int error = tried.feature == Feature::system_calls ? EPERM : tried.error;
    // It did not come to the trial: there was no process for it.
    const bool no_process = error == EAGAIN && *tried.step != '\0';
    return diagnose::likely_cause(no_process ? Feature::pid_namespace : tried.feature, error,
                                  around);
  }
  if (tried.availability == Availability::works) return {};
  if (tried.feature == Feature::idmapped_mount)
    return {"not needed: an ordinary user's files are his own in the sandbox"};
  if (tried.feature == Feature::clone_into_cgroup) return {"no cgroup of v2 can be made here"};
  if (tried.feature == Feature::tun) return {"it needs a user and a network namespace"};
  return {"it needs a user and a mount namespace"};
}

/// The least that has to degrade for a start.
std::optional<DefaultStart> start_with_less() {
  const std::vector<std::vector<std::string>> ways{{"cgroup"}, {"userns"}, {"userns", "cgroup"}};
  for (const std::vector<std::string>& controls : ways)
    if (DefaultStart start = try_default(controls); start.starts) return start;
  return std::nullopt;
}

}  // namespace

Examination examine() {
  Examination found{.around = os::look_around(), .limits = try_limits()};
  for (const TriedFeature& tried : os::try_features(found.around, found.limits.tried))
    found.findings.push_back({tried, cause_of(tried, found.around)});
  found.start = try_default();
  if (!found.start.starts) found.with_less = start_with_less();
  return found;
}

}  // namespace sbx::cli::doctor
