// Who the payload is, and the namespaces it lives in.
#include <linux/sched.h>

#include <optional>

#include "base/text.hpp"
#include "plan/builder.hpp"

namespace sbx::plan {
namespace {

constexpr std::uint64_t kAlways =
    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
constexpr std::uint32_t kInnerIdForRoot = 1000;

void plan_namespaces(Builder& b) {
  const bool own_network = b.profile.network.mode != profile::NetworkMode::host;
  // The network namespace is the payload's to make (fork.cpp): it takes longer than all the
  // others together, and a second processor is often idle.
  b.add(Phase::clone, CloneNamespaces{kAlways},
        own_network ? "no process, file, socket or host name of the host is shared"
                    : "network: host keeps the host's network; the rest is not shared",
        "network");
  b.plan.isolation.namespaces = {"user", "pid", "mount", "ipc", "uts", "cgroup"};
  if (own_network) b.plan.isolation.namespaces.emplace_back("net");
  if (b.profile.time.any()) b.plan.isolation.namespaces.emplace_back("time");
}

/// What needs no ids, while the supervisor maps them.
void plan_before_ids(Builder& b) {
  b.add(Phase::init, EmptyBoundingSet{b.profile.capabilities},
        "no exec gives any back; the payload inherits it", "capabilities");
  b.add(Phase::init, SetHostname{b.profile.hostname}, "the host's name is nobody's business",
        "hostname");
  b.add(Phase::init, PrivatePropagation{}, "no mount event travels to the host");
}

}  // namespace

Result<void> reserve_host_id(Builder& b) {
  if (b.facts.host_id_count == 0)
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "started by root, but the range of host ids is empty",
                                 .hint = "build with -Dhost_id_count greater than 0"});
  b.add(Phase::host, ReserveHostId{b.facts.host_id_first, b.facts.host_id_count},
        "started by root, the payload is still nobody on the host");
  return {};
}

Result<void> plan_identity(Builder& b) {
  const std::uint32_t uid = b.as_root ? kInnerIdForRoot : b.facts.euid;
  const std::uint32_t gid = b.as_root ? kInnerIdForRoot : b.facts.egid;
  const bool by_image = b.facts.image && !b.profile.user.uid && !b.profile.user.gid;
  if (by_image && !b.facts.image->user_problem.empty())
    return std::unexpected(Error{.kind = ErrorKind::profile,
                                 .what = "the image's command is for the user " +
                                         quote(b.facts.image->user) + ", and " +
                                         b.facts.image->user_problem,
                                 .where = b.origin_of("root").to_string(),
                                 .hint = "say who it is to be: user: {uid: 1000, gid: 1000}"});
  const auto of_image = by_image ? *b.facts.image : ImageFacts{};
  b.inner_uid = b.profile.user.uid.value_or(of_image.uid.value_or(uid));
  b.inner_gid = b.profile.user.gid.value_or(of_image.gid.value_or(gid));
  b.plan.isolation.user = std::to_string(b.inner_uid) + ":" + std::to_string(b.inner_gid);

  if (b.as_root) SBX_CHECK(reserve_host_id(b));
  if (!b.as_root && b.facts.egid == 0)
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "your group is root's (0), which no sandbox is given",
                                 .hint = "start sbx with another one: setpriv --regid GID "
                                         "--clear-groups sbx ..., runAsGroup in Kubernetes"});
  plan_namespaces(b);
  return {};
}

void plan_oom_score(Builder& b, Phase phase) {
  if (!b.facts.oom_protected) return;
  b.add(phase, ResetOomScore{}, "the caller is protected from the OOM killer, the command is not");
  // Who has CAP_SYS_RESOURCE sets with it how low it may be set again (oom_score_adj_min).
  if (!b.as_root)
    b.plan.warnings.emplace_back(
        "you are protected from the OOM killer (oom_score_adj), and the command, which begins "
        "without that, may take it back: only root can deny it for good (OOMScoreAdjust=0 in a "
        "unit of systemd)");
}

void plan_ids(Builder& b) {
  b.add(Phase::init, NewSession{false}, "keys typed at the caller's terminal are not for init");
  if (b.profile.time.any()) {
    const auto count = [](const auto& offset) {
      return offset ? std::optional<std::int64_t>(offset->count()) : std::nullopt;
    };
    b.add(Phase::init,
          SetTimeOffsets{count(b.profile.time.monotonic), count(b.profile.time.boottime)},
          "asked for", "namespaces.time");
  }
  plan_oom_score(b, Phase::attend);
  b.add(Phase::attend, WriteIdMaps{b.inner_uid, b.inner_gid, b.as_root},
        "the payload has one id, and it is not root's", "user");
  plan_before_ids(b);
  b.add(Phase::init, AwaitIdMaps{}, "nothing can be made before the ids exist");
  b.add(Phase::init, BecomeInnerIds{b.inner_uid, b.inner_gid, b.as_root}, "ids inside", "user");
  b.add(Phase::init, DieWithSupervisor{}, "a killed supervisor leaves nothing behind");
}

}  // namespace sbx::plan
