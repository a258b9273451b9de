// From a failed step to its Error: who asked for it, what it does, what of the kernel it needs.
#include <cerrno>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "plan/describe.hpp"
#include "plan/hints.hpp"

namespace sbx::plan {
namespace {

/// Who asked for what refused: a rule of tier `landlock` has a line of its own.
const Origin& asked_by(const Step& step, const std::string& detail) {
  if (const auto* const wall = std::get_if<ApplyLandlock>(&step.action); wall != nullptr)
    for (const LandlockRule& rule : wall->rules)
      if (!rule.key.empty() && rule.path == detail) return rule.origin;
  return step.origin;
}

/// What each step asks of the kernel.
struct FeatureOf {
  Feature operator()(const CloneNamespaces&) const { return Feature::user_namespace; }
  Feature operator()(const ReserveHostId&) const { return Feature::user_namespace; }
  Feature operator()(const WriteIdMaps&) const { return Feature::user_namespace; }
  // The first that asks for a right in it: AppArmor may give one without any.
  Feature operator()(const EmptyBoundingSet&) const { return Feature::user_namespace; }
  Feature operator()(const SetTimeOffsets&) const { return Feature::time_namespace; }
  Feature operator()(const ForbidNamespaces&) const { return Feature::namespace_limit; }
  Feature operator()(const HoldTree&) const { return Feature::landlock; }
  Feature operator()(const ForkPayload&) const { return Feature::pid_namespace; }
  Feature operator()(const PrivatePropagation&) const { return Feature::mount_namespace; }
  Feature operator()(const MountRoot&) const { return Feature::tmpfs; }
  Feature operator()(const MountTmpfs&) const { return Feature::tmpfs; }
  Feature operator()(const MountOverlay&) const { return Feature::overlay; }
  Feature operator()(const MountProc&) const { return Feature::proc; }
  Feature operator()(const MountDevpts&) const { return Feature::devpts; }
  Feature operator()(const PivotRoot&) const { return Feature::pivot_root; }
  Feature operator()(const UnshareCgroup&) const { return Feature::cgroup_namespace; }
  Feature operator()(const NewNetwork&) const { return Feature::network_namespace; }
  Feature operator()(const OpenPty&) const { return Feature::pty; }
  Feature operator()(const ApplyLandlock&) const { return Feature::landlock; }
  Feature operator()(const InstallSeccomp&) const { return Feature::seccomp; }
  Feature operator()(const DetachTree& step) const {
    return step.idmap ? Feature::idmapped_mount : Feature::system_calls;
  }
  template <class Other>
  Feature operator()(const Other&) const {
    return Feature::system_calls;
  }
};

}  // namespace

Error step_error(const Plan& plan, std::size_t index, int error, const std::string& detail) {
  const Step& step = plan.steps[index];
  // The lock file of host ids fails for reasons of its own; only ids that do not exist are the
  // namespace's.
  // Tier `landlock` goes on after what the host has refused: that is no reason for what fails then;
  // but that there are too many layers already is its own.
  const bool too_many_layers = std::holds_alternative<ApplyLandlock>(step.action) && error == E2BIG;
  const bool of_file =
      (std::holds_alternative<ReserveHostId>(step.action) && error != EPERM && error != EINVAL) ||
      (plan.isolation.tier == "landlock" && !std::holds_alternative<HoldTree>(step.action) &&
       !too_many_layers);
  const bool rule = std::holds_alternative<ApplyLandlock>(step.action) && !detail.empty();
  std::string what = rule ? "allow " + quote(detail) + " by Landlock" : describe(step.action);
  if (!rule && !detail.empty()) what += " (" + detail + ")";
  const Origin& origin = asked_by(step, detail);
  std::string where = origin.file.empty() ? "" : origin.to_string() + ": ";
  where += "step " + std::to_string(index + 1) + "/" + std::to_string(plan.steps.size());
  return {.kind = ErrorKind::setup,
          .what = std::move(what),
          .where = std::move(where),
          .hint = hint_for(step.action, error),
          .sys_errno = error,
          .feature = of_file ? std::nullopt : std::optional(std::visit(FeatureOf{}, step.action))};
}

}  // namespace sbx::plan
