#include "plan/order.hpp"

#include <array>
#include <string>

#include "plan/kinds.hpp"

namespace sbx::plan {
namespace {

constexpr std::size_t kPhases = 6;

template <class Earlier, class Later>
consteval OrderRule rule(std::string_view why) {
  return {kind_index<Earlier>(), kind_index<Later>(), why};
}

constexpr std::array kRules{
    rule<WriteIdMaps, DetachTree>("init takes the maps' message first"),
    rule<DetachTree, MakeCgroup>("init takes the trees' messages before the groups'"),
    rule<AwaitIdMaps, AttachTree>("the maps' message comes first"),
    rule<AttachTree, JoinCgroups>("the groups' message comes last"),
    rule<AwaitIdMaps, BecomeInnerIds>("setresuid(2) of an unmapped id is EINVAL"),
    rule<SetTimeOffsets, BecomeInnerIds>("after it /proc/self belongs to host root (proc(5))"),
    rule<BecomeInnerIds, DieWithSupervisor>(
        "a change of ids clears the parent-death signal (prctl(2))"),
    rule<BecomeInnerIds, MountRoot>("files of an unmapped id cannot be made (EOVERFLOW)"),
    rule<PrivatePropagation, MountRoot>("a mount event would travel to the host"),
    rule<MountRoot, MakeDir>("folders go into the new root"),
    rule<MountRoot, BindTree>("binds go into the new root"),
    rule<MountProc, ProtectPath>("the new /proc is what is protected"),
    rule<MountProc, MaskPath>("masks cover what is there already"),
    rule<BindDevice, MaskPath>("masks are made of /dev/null"),
    rule<BindTree, PivotRoot>("the host's paths are gone after it"),
    rule<AttachTree, PivotRoot>("targets are found below the new root's descriptor"),
    rule<BindDevice, PivotRoot>("the host's devices are gone after it"),
    rule<MaskPath, SealMount>("sealing is the last word on the tree"),
    rule<SealMount, PivotRoot>("the payload never sees an unsealed root"),
    rule<PivotRoot, ForkPayload>("a kept working directory would pin the host's tree"),
    rule<PivotRoot, OpenPty>("the terminal is the sandbox's own"),
    rule<JoinCgroups, ForkPayload>("nothing of the payload's runs outside its limits"),
    rule<JoinCgroups, UnshareCgroup>("the new namespace's root is the group we are in"),
    rule<ForbidNamespaces, ForkPayload>("the payload must not get one in between"),
    rule<HideCommandLine, ForkPayload>("the payload must not read it in between"),
    rule<SetDumpable, ForkPayload>("the payload must not catch init traceable"),
    rule<NewSession, PlaceStdio>("the terminal is taken by its own descriptor"),
    rule<SetRlimit, DropCapabilities>("raising a hard limit needs CAP_SYS_RESOURCE"),
    rule<ChangeDir, ResolveExecutable>("a relative command is relative to it"),
    rule<ResolveExecutable, InstallSeccomp>("the filter may forbid the look-up"),
    rule<NoNewPrivs, ApplyLandlock>("Landlock refuses without it (landlock(7))"),
    rule<NoNewPrivs, InstallSeccomp>("so does seccomp(2) without CAP_SYS_ADMIN"),
    rule<DropCapabilities, InstallSeccomp>("the filter forbids nothing that we still do"),
    rule<CloseDescriptors, InstallSeccomp>("close_range(2) may be forbidden"),
    rule<InstallSeccomp, ExecPayload>("untrusted code never runs unfiltered"),
};

}  // namespace

std::span<const OrderRule> order_rules() { return kRules; }

Result<void> check_order(const Plan& plan) {
  for (const OrderRule& rule : kRules) {
    // Where, in each phase, the first `later` stands: no `earlier` may follow it there.
    std::array<bool, kPhases> seen{};
    for (const Step& step : plan.steps) {
      bool& later_seen = seen[static_cast<std::size_t>(step.phase)];
      if (step.action.index() == rule.later) later_seen = true;
      if (step.action.index() != rule.earlier || !later_seen) continue;
      return std::unexpected(Error{.kind = ErrorKind::internal,
                                   .what = "the plan puts " + std::string(kKindNames[rule.later]) +
                                           " before " + std::string(kKindNames[rule.earlier]) +
                                           ": " + std::string(rule.why)});
    }
  }
  return {};
}

}  // namespace sbx::plan
