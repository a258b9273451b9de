#include "os/feature_trials.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "os/attempt.hpp"
#include "os/landlock.hpp"
#include "os/refused_calls.hpp"
#include "os/trial_bodies.hpp"

namespace sbx::os {
namespace {

/// A trial in new namespaces below a user namespace with one id, as a run's.
struct Trial {
  Feature feature;
  std::uint64_t namespaces;  ///< besides CLONE_NEWUSER
  AttemptBody body;
};
constexpr std::array kInside{
    Trial{Feature::mount_namespace, CLONE_NEWNS, trial::nothing},
    Trial{Feature::pid_namespace, CLONE_NEWPID, trial::nothing},
    Trial{Feature::ipc_namespace, CLONE_NEWIPC, trial::nothing},
    Trial{Feature::uts_namespace, CLONE_NEWUTS, trial::nothing},
    Trial{Feature::network_namespace, CLONE_NEWNET, trial::nothing},
    Trial{Feature::cgroup_namespace, CLONE_NEWCGROUP, trial::nothing},
    Trial{Feature::time_namespace, 0, trial::time_namespace},
    Trial{Feature::tmpfs, CLONE_NEWNS, trial::tmpfs},
    Trial{Feature::proc, CLONE_NEWNS | CLONE_NEWPID, trial::proc},
    Trial{Feature::namespace_limit, CLONE_NEWNS | CLONE_NEWPID, trial::namespace_limit},
    Trial{Feature::devpts, CLONE_NEWNS, trial::devpts},
    Trial{Feature::pivot_root, CLONE_NEWNS, trial::pivot_root},
    Trial{Feature::overlay, CLONE_NEWNS, trial::overlay},
};

struct PlainTrial {
  Feature feature;
  AttemptBody body;
};
constexpr std::array kPlain{PlainTrial{Feature::seccomp, trial::seccomp},
                            PlainTrial{Feature::seccomp_notify, trial::seccomp_notify},
                            PlainTrial{Feature::pidfd, trial::pidfd},
                            PlainTrial{Feature::pty, trial::pty},
                            PlainTrial{Feature::kvm, trial::kvm}};

/// The features by their place in kFeatures, as they become known.
class Tried {
 public:
  Tried() {
    for (const FeatureInfo& info : kFeatures) all_.push_back({.feature = info.feature});
  }

  TriedFeature& of(Feature feature) { return all_.at(static_cast<std::size_t>(feature)); }
  bool works(Feature feature) { return of(feature).availability == Availability::works; }

  void set(Feature feature, const Attempt& attempt) {
    TriedFeature& one = of(feature);
    const bool good = attempt.ran && !attempt.killed && attempt.error == 0;
    one.availability = good ? Availability::works : Availability::refused;
    one.error = attempt.killed ? 0 : attempt.error;
    one.step = attempt.step;
  }

  std::vector<TriedFeature> take() && { return std::move(all_); }

 private:
  std::vector<TriedFeature> all_;
};

void try_calls(const Surroundings& around, Tried& tried) {
  TriedFeature& calls = tried.of(Feature::system_calls);
  calls.availability = around.refused.empty() ? Availability::works : Availability::refused;
  if (!around.refused.empty()) calls.error = around.refused.front().error;
}

void try_inside(const IdMap& map, Tried& tried) {
  if (clone3_kills()) {
    tried.set(Feature::user_namespace, {.ran = true, .killed = true, .step = "clone3"});
    return;
  }
  tried.set(Feature::user_namespace,
            try_in_namespaces(CLONE_NEWUSER, trial::nothing, nullptr, &map));
  if (!tried.works(Feature::user_namespace)) return;
  for (const Trial& one : kInside) {
    const bool mounts =
        (one.namespaces & CLONE_NEWNS) != 0 && one.feature != Feature::mount_namespace;
    if (mounts && !tried.works(Feature::mount_namespace)) continue;
    tried.set(one.feature,
              try_in_namespaces(CLONE_NEWUSER | one.namespaces, one.body, nullptr, &map));
  }
}

/// Opened in there: the right to use it is asked of who opens it. Without ids of its own the child
/// is the caller still, to whom the node may belong.
void try_tun(Tried& tried) {
  if (tried.works(Feature::network_namespace))
    tried.set(Feature::tun, try_in_namespaces(CLONE_NEWUSER | CLONE_NEWNET, trial::tun, nullptr));
}

void try_landlock(Tried& tried) {
  int abi = landlock_abi();
  const int missing = errno;
  if (abi <= 0) {
    tried.set(Feature::landlock, {.error = missing == 0 ? ENOSYS : missing});
    return;
  }
  tried.set(Feature::landlock, try_in_child(trial::landlock, &abi));
  tried.of(Feature::landlock).level = abi;
}

void take_cgroup(const std::vector<TriedHome>& homes, Tried& tried) {
  for (const TriedHome& home : homes)
    if (home.cloned)
      tried.set(Feature::clone_into_cgroup, {.ran = true, .error = *home.cloned, .step = "clone3"});
}

}  // namespace

std::vector<TriedFeature> try_features(const Surroundings& around,
                                       const std::vector<TriedHome>& homes) {
  const bool root = around.euid == 0;
  const IdMap map{.inner_uid = 0,
                  .inner_gid = 0,
                  .outer_uid = root ? SBX_HOST_ID_FIRST : around.euid,
                  .outer_gid = root ? SBX_HOST_ID_FIRST : around.egid};
  Tried tried;
  try_calls(around, tried);
  try_inside(map, tried);
  for (const PlainTrial& one : kPlain) tried.set(one.feature, try_in_child(one.body, nullptr));
  try_tun(tried);
  try_landlock(tried);
  take_cgroup(homes, tried);
  if (root) {
    IdMap owner = map;
    tried.set(Feature::idmapped_mount, try_in_child(trial::idmapped_mount, &owner));
  }
  return std::move(tried).take();
}

}  // namespace sbx::os
