#include "plan/order.hpp"

#include <algorithm>
#include <array>
#include <limits>
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
    rule<ResetOomScore, WriteIdMaps>("init forks once it has the maps' message"),
    rule<ResetOomScore, BecomeReservedId>("only the host's root may make it last"),
    rule<ResetOomScore, ForkPayload>("a child has its parent's"),
    rule<MakeCgroup, HandOverCgroups>("it hands over what was made"),
    rule<WriteIdMaps, DetachTree>("init takes the maps' message first"),
    rule<WriteIdMaps, HandOverCgroups>("init takes the maps' message first"),
    rule<DetachTree, HandOverCgroups>("init takes the trees' messages before the groups'"),
    rule<AwaitIdMaps, AttachTree>("the maps' message comes first"),
    rule<AwaitIdMaps, PassCgroups>("the maps' message comes first"),
    rule<AttachTree, PassCgroups>("the groups' message comes after the trees'"),
    rule<PassCgroups, ShowRoot>("the payload takes the groups first"),
    rule<BecomeReservedId, DieWithSupervisor>("a change of ids takes the death signal away"),
    rule<BecomeReservedId, MakeScratch>("it is the payload's own"),
    rule<NoNewPrivs, HoldTree>("Landlock refuses without it (landlock(7))"),
    rule<HoldTree, ForkPayload>("nobody is to be in the tree who is not held"),
    rule<MakeScratch, ForkPayload>("the payload starts in it"),
    rule<HoldTree, ForkKeeper>("it is to be in the tree, whose all it may signal"),
    rule<MakeScratch, ForkKeeper>("it removes the folder when init cannot"),
    rule<ForkKeeper, ForkPayload>("nobody is to be in the tree whom it would not end"),
    rule<HoldTree, ReleasePayload>("without a pid namespace nobody else ends the tree"),
    rule<AwaitIdMaps, BecomeInnerIds>("setresuid(2) of an unmapped id is EINVAL"),
    rule<SetTimeOffsets, BecomeInnerIds>("after it /proc/self belongs to host root (proc(5))"),
    rule<SetTimeOffsets, ForkPayload>("only children enter it (time_namespaces(7))"),
    rule<BecomeInnerIds, ForkPayload>("untrusted code never runs as the caller"),
    rule<BecomeInnerIds, DieWithSupervisor>(
        "a change of ids clears the parent-death signal (prctl(2))"),
    rule<BecomeInnerIds, MountRoot>("files of an unmapped id cannot be made (EOVERFLOW)"),
    rule<PrivatePropagation, MountRoot>("a mount event would travel to the host"),
    rule<MountRoot, MakeDir>("folders go into the new root"),
    rule<MountRoot, BindTree>("binds go into the new root"),
    rule<MountTmpfs, WriteSecret>("a secret lies in memory of its own"),
    rule<WriteSecret, SealMount>("sealing is the last word on the tree"),
    rule<MountRoot, LendRoot>("it is what is lent"),
    rule<BindDevice, LendRoot>("the payload's masks are made of /dev/null"),
    rule<EnterNetwork, TakeRootBack>("the payload sends the network first"),
    rule<NewNetwork, ReturnRoot>("init takes the network first"),
    rule<LendRoot, TakeRootBack>("nobody gives back what they have not got"),
    rule<TakeRootBack, MaskGlob>("a mask may lie in /proc"),
    rule<TakeRootBack, MaskPath>("a mask may lie in /proc"),
    rule<TakeRootBack, SealMount>("sealing is the last word on the tree"),
    rule<LendRoot, PassCgroups>("the payload borrows the root before it takes the groups"),
    rule<MountProc, ForbidNamespaces>("the limit is a file in it"),
    rule<ForbidNamespaces, ProtectPath>("the file is read-only after it"),
    rule<MountProc, ProtectPath>("what is protected is there already"),
    rule<MountProc, LendRoot>("the payload closes it"),
    rule<BorrowRoot, MaskPath>("they go into the new root"),
    rule<MaskPath, ReturnRoot>("the payload has the root no longer"),
    rule<ReturnRoot, JoinCgroups>("init waits for the root, and lends it first"),
    rule<ReturnRoot, SetRlimit>("it opens more than limits.rlimits may allow"),
    rule<ReturnRoot, ApplyLandlock>("Landlock lets nobody mount (landlock(7))"),
    rule<ReturnRoot, DropCapabilities>("mounting needs CAP_SYS_ADMIN"),
    rule<ReturnRoot, AwaitRoot>("init waits for it"),
    rule<MountQueues, MaskPath>("masks cover what is there already"),
    rule<MountProc, MaskPath>("masks cover what is there already"),
    rule<BindDevice, MaskPath>("masks are made of /dev/null"),
    rule<BindTree, PivotRoot>("the host's paths are gone after it"),
    rule<AttachTree, ReleasePayload>("the supervisor's last message comes last"),
    rule<CopyIn, PivotRoot>("targets are found below the new root's descriptor"),
    rule<AttachTree, PivotRoot>("targets are found below the new root's descriptor"),
    rule<MountQueues, PivotRoot>("targets are found below the new root's descriptor"),
    rule<BindDevice, PivotRoot>("the host's devices are gone after it"),
    rule<ProtectPath, SealMount>("sealing is the last word on the tree"),
    rule<MaskPath, SealMount>("sealing is the last word on the tree"),
    rule<SealMount, HandOverRoot>("the copy is of the finished tree"),
    rule<MountOverlay, HandOverRoot>("init sends the changes first"),
    rule<HandOverRoot, PivotRoot>("the old root lies on the new one after it"),
    rule<HandOverRoot, ShowRoot>("the payload sends what comes next"),
    rule<SealMount, PivotRoot>("the payload never sees an unsealed root"),
    rule<NewNetwork, JoinCgroups>("init may wait for the network first"),
    rule<JoinCgroups, AwaitRoot>("init sends the groups first"),
    rule<JoinCgroups, UnshareCgroup>("the new namespace's root is the group we are in"),
    rule<JoinCgroups, ExecPayload>("nothing of the payload's runs outside its limits"),
    rule<UnshareCgroup, DropCapabilities>("it needs CAP_SYS_ADMIN"),
    rule<ForkPayload, PivotRoot>("pivot_root(2) takes along who stands in the old root"),
    rule<PivotRoot, ShowRoot>("that is what the payload waits for"),
    rule<ShowRoot, ReleasePayload>("the payload waits for them in this order"),
    rule<ReleasePayload, DropOldRoot>("the payload looks for it, and need not wait for its end"),
    rule<ForbidNamespaces, ReleasePayload>("the payload must not get one in between"),
    rule<EnterNetwork, ReleasePayload>("the payload must not see the host's in between"),
    rule<HideCommandLine, ReleasePayload>("the payload must not read it in between"),
    rule<SetDumpable, ReleasePayload>("the payload must not catch init traceable"),
    rule<NewNetwork, RaiseLoopback>("it is the new namespace's"),
    rule<RaiseLoopback, RouteToSelf>("a route needs its device up"),
    rule<RouteToSelf, DropCapabilities>("it needs CAP_NET_ADMIN"),
    rule<RaiseLoopback, OpenGateway>("::1 is there once lo is up"),
    rule<OpenGateway, SetRlimit>("it opens more than limits.rlimits may allow"),
    rule<OpenPty, SetRlimit>("the caller's descriptors are still open"),
    rule<ApplyLandlock, SetRlimit>("the caller's descriptors are still open"),
    rule<OpenGateway, DropCapabilities>("port 53 and raw sockets need some"),
    rule<OpenGateway, CloseDescriptors>("the sockets go by a descriptor"),
    rule<OpenGateway, AwaitGateway>("the supervisor answers when it has all sockets"),
    rule<AwaitGateway, CloseDescriptors>("the answer comes by a descriptor"),
    rule<AwaitGateway, InstallSeccomp>("recvfrom(2) may be forbidden"),
    rule<NewNetwork, AwaitRoot>("init may wait for it"),
    rule<NewNetwork, DropCapabilities>("it needs CAP_SYS_ADMIN"),
    rule<AwaitRoot, AwaitRelease>("init tells them in this order"),
    rule<AwaitRoot, OpenPty>("the terminal is the sandbox's own"),
    rule<AwaitRoot, ChangeDir>("the path is one of the new root's"),
    rule<AwaitRoot, ResolveExecutable>("so is the command's"),
    rule<AwaitRoot, ApplyLandlock>("so are the rules'"),
    rule<OpenPty, NewSession>("the terminal is taken as the controlling one"),
    rule<NewSession, PlaceStdio>("the terminal is taken by its own descriptor"),
    rule<SetRlimit, DropCapabilities>("raising a hard limit needs CAP_SYS_RESOURCE"),
    rule<ChangeDir, ResolveExecutable>("a relative command is relative to it"),
    rule<ResolveExecutable, InstallSeccomp>("the filter may forbid the look-up"),
    rule<NoNewPrivs, ApplyLandlock>("Landlock refuses without it (landlock(7))"),
    rule<NoNewPrivs, InstallSeccomp>("so does seccomp(2) without CAP_SYS_ADMIN"),
    rule<EmptyBoundingSet, DropCapabilities>("it needs CAP_SETPCAP"),
    rule<EmptyBoundingSet, ForkPayload>("the payload inherits it"),
    rule<DropCapabilities, InstallSeccomp>("the filter forbids nothing that we still do"),
    rule<AwaitRelease, CloseDescriptors>("it comes by a descriptor"),
    rule<AwaitRelease, InstallSeccomp>("recvmsg(2) may be forbidden"),
    rule<CloseDescriptors, InstallSeccomp>("close_range(2) may be forbidden"),
    rule<InstallSeccomp, ExecPayload>("untrusted code never runs unfiltered"),
};

/// Where in a phase steps of a kind stand first and last.
struct Span {
  std::size_t first = std::numeric_limits<std::size_t>::max();
  std::size_t last = 0;
};
using Spans = std::array<std::array<Span, std::variant_size_v<Action>>, kPhases>;

Spans spans_of(const Plan& plan) {
  Spans spans;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    Span& span = spans[static_cast<std::size_t>(step.phase)][step.action.index()];
    span.first = std::min(span.first, i);
    span.last = i;
  }
  return spans;
}

}  // namespace

std::span<const OrderRule> order_rules() { return kRules; }

Result<void> check_order(const Plan& plan) {
  const Spans spans = spans_of(plan);
  for (const OrderRule& rule : kRules)
    for (const auto& phase : spans)
      // An `earlier` that is not there has 0 as its last, which is after nothing.
      if (phase[rule.earlier].last > phase[rule.later].first)
        return std::unexpected(
            Error{.kind = ErrorKind::internal,
                  .what = "the plan puts " + std::string(kKindNames[rule.later]) + " before " +
                          std::string(kKindNames[rule.earlier]) + ": " + std::string(rule.why)});
  return {};
}

}  // namespace sbx::plan
