// The last of init's steps, then what the payload and init give up before untrusted code runs.
#include "plan/builder.hpp"
#include "profile/own_devices.hpp"

namespace sbx::plan {
namespace {

Result<void> plan_landlock(Builder& b) {
  const profile::LandlockMode mode = b.profile.landlock;
  if (mode == profile::LandlockMode::off) return {};
  const int abi = b.facts.landlock_abi;
  if (mode == profile::LandlockMode::require) b.plan.isolation.required.emplace_back("landlock");
  if (abi == 0) {
    if (mode == profile::LandlockMode::automatic) return {};
    if (b.degrades("landlock")) {
      b.plan.isolation.degraded.emplace_back("landlock");
      return {};
    }
    return std::unexpected(
        Error{.kind = ErrorKind::host,
              .what = "landlock: require, but this kernel has no Landlock or it is not enabled",
              .where = b.origin_of("landlock").to_string(),
              .hint = "boot with lsm=...,landlock (see /sys/kernel/security/lsm), or go on without "
                      "it: --degrade landlock"});
  }
  ApplyLandlock step{
      abi, {{"/", false, false}, {"/dev", false, true}, {"/proc", false, true}}, true};
  step.rules.insert(step.rules.end(), b.writable.begin(), b.writable.end());
  // mq_open(3) comes by no path below /dev.
  if (const std::string queues = queues_key(b); !queues.empty())
    step.rules.push_back({.path = std::string(profile::kQueues),
                          .device = true,
                          .key = queues,
                          .origin = b.writer_of(queues)});
  b.add(Phase::payload, std::move(step), "the same file rules a second time", "landlock");
  b.plan.isolation.landlock_abi = abi;
  b.plan.isolation.enforced.emplace_back("landlock");
  return {};
}

/// How init hands over to the payload once the new root is there.
void plan_release(Builder& b) {
  b.add(Phase::init, ShowRoot{}, "the payload has waited for it");
  b.add(Phase::init, HideCommandLine{},
        "it names files of the host, and everybody inside can read it");
  b.add(Phase::init, SetDumpable{false}, "nobody inside may trace init or open its files");
  b.add(Phase::init, ReleasePayload{}, "nothing is left that it must not see but the old root");
  b.add(Phase::init, DropOldRoot{}, "the host's tree; the payload waits until it is gone");
}

/// "/" in an image is what it has when nobody chose.
void plan_first_folder(Builder& b) {
  const std::string of_image = b.facts.image ? lexical_path("/", b.facts.image->workdir) : "/";
  if (!b.profile.workdir && of_image != "/")
    return b.add(Phase::payload, ChangeDir{of_image}, "the image's WorkingDir", "root");
  const bool none = b.profile.workspace.mode == profile::WorkspaceMode::none;
  b.add(Phase::payload, ChangeDir{b.profile.workdir.value_or(none ? "/" : b.profile.workspace.at)},
        "where the command starts", "workdir");
}

}  // namespace

void plan_stdio(Builder& b) {
  b.add(Phase::payload, NewSession{b.plan.supervision.tty}, "no way to the caller's terminal");
  b.add(Phase::payload, PlaceStdio{}, "standard input, output and error", "stdio");
}

void plan_start(Builder& b) {
  warn_of_grants(b);
  b.add(Phase::payload, CloseDescriptors{}, "nothing above 2 stays open");
  b.add(Phase::payload, InstallSeccomp{},
        "only named system calls; last, so that it covers no step of ours", "seccomp");
  b.add(Phase::payload, ExecPayload{}, "the command");
}

Result<void> plan_privileges(Builder& b) {
  plan_release(b);
  b.add(Phase::payload, AwaitRoot{}, "paths mean the host's tree until then");
  if (b.plan.supervision.tty) {
    b.add(Phase::payload, OpenPty{}, "a terminal of its own, never the caller's", "stdio.tty");
    plan_stdio(b);
  }
  plan_first_folder(b);
  b.add(Phase::payload, ResolveExecutable{},
        "not found or not executable is known before the filter");
  SBX_CHECK(plan_landlock(b));
  plan_rlimits(b);
  b.add(Phase::payload, DropCapabilities{b.profile.capabilities}, "no privilege, not even inside",
        "capabilities");
  b.add(Phase::payload, AwaitRelease{},
        "what it must not see is hidden first, and the host's tree gone");
  if (b.plan.egress)
    b.add(Phase::payload, AwaitGateway{}, "no attempt is missing in the result", "network.allow");
  plan_start(b);
  if (!b.profile.capabilities.empty())
    b.add(Phase::guard, EmptyBoundingSet{}, "init executes nothing");
  b.add(Phase::guard, DropCapabilities{}, "init only reaps from here on");
  b.add(Phase::guard, CloseDescriptors{},
        "init keeps what tells the supervisor of the command's end");
  for (const char* control : {"namespaces", "no_new_privs", "capabilities", "seccomp"}) {
    b.plan.isolation.required.emplace_back(control);
    b.plan.isolation.enforced.emplace_back(control);
  }
  return {};
}

}  // namespace sbx::plan
