// The kernel features that sbx is made of, as `sbx doctor` names them.
#pragma once

#include <array>

namespace sbx {

enum class Feature {
  system_calls,
  user_namespace,
  mount_namespace,
  pid_namespace,
  ipc_namespace,
  uts_namespace,
  network_namespace,
  cgroup_namespace,
  time_namespace,
  namespace_limit,
  tmpfs,
  proc,
  devpts,
  pivot_root,
  overlay,
  idmapped_mount,
  seccomp,
  seccomp_notify,
  landlock,
  pidfd,
  clone_into_cgroup,
  pty,
  tun,
  kvm,
};

/// Who does without it.
enum class Need {
  start,  ///< nobody: no run starts without it
  root,   ///< everybody but root
  extra,  ///< a profile that does not ask for it, or a run that then tells less
};

struct FeatureInfo {
  Feature feature;
  const char* name;  ///< for people and for JSON
  const char* use;   ///< what for
  Need need;
};

inline constexpr std::array kFeatures{
    FeatureInfo{Feature::system_calls, "system calls", "what a start asks of the kernel",
                Need::start},
    FeatureInfo{Feature::user_namespace, "user namespace", "rights that end at the sandbox",
                Need::start},
    FeatureInfo{Feature::mount_namespace, "mount namespace", "a file tree of its own", Need::start},
    FeatureInfo{Feature::pid_namespace, "pid namespace", "processes of its own", Need::start},
    FeatureInfo{Feature::ipc_namespace, "ipc namespace", "shared memory of its own", Need::start},
    FeatureInfo{Feature::uts_namespace, "uts namespace", "a host name of its own", Need::start},
    FeatureInfo{Feature::network_namespace, "network namespace", "no network but its own",
                Need::start},
    FeatureInfo{Feature::cgroup_namespace, "cgroup namespace", "no view of the host's groups",
                Need::start},
    FeatureInfo{Feature::time_namespace, "time namespace", "namespaces.time", Need::extra},
    FeatureInfo{Feature::namespace_limit, "namespace limit", "no namespaces below the sandbox",
                Need::start},
    FeatureInfo{Feature::tmpfs, "tmpfs", "the root, /tmp", Need::start},
    FeatureInfo{Feature::proc, "proc", "/proc of its own processes", Need::start},
    FeatureInfo{Feature::devpts, "devpts", "/dev/pts of its own", Need::start},
    FeatureInfo{Feature::pivot_root, "pivot_root", "the host's tree out of reach", Need::start},
    FeatureInfo{Feature::overlay, "overlay", "workspace.mode: overlay", Need::extra},
    FeatureInfo{Feature::idmapped_mount, "idmapped mount", "owners stay right when root starts it",
                Need::root},
    FeatureInfo{Feature::seccomp, "seccomp", "only named system calls", Need::start},
    FeatureInfo{Feature::seccomp_notify, "seccomp notify", "tells what was denied", Need::extra},
    FeatureInfo{Feature::landlock, "landlock", "the file rules a second time", Need::extra},
    FeatureInfo{Feature::pidfd, "pidfd", "signals that hit nobody else", Need::extra},
    FeatureInfo{Feature::clone_into_cgroup, "clone into cgroup",
                "limits from the first instruction", Need::extra},
    FeatureInfo{Feature::pty, "pty", "a terminal of its own", Need::extra},
    FeatureInfo{Feature::tun, "tun", "devices: [net/tun]", Need::extra},
    FeatureInfo{Feature::kvm, "kvm", "devices: [kvm]", Need::extra},
};

constexpr const FeatureInfo& info_of(Feature feature) {
  return kFeatures[static_cast<unsigned>(feature)];
}

/// What came of trying one for real.
enum class Availability { works, refused, untried };

struct TriedFeature {
  Feature feature;
  Availability availability = Availability::untried;
  int error = 0;          ///< refused: errno; 0: the one who tried was killed
  int level = 0;          ///< Landlock: its ABI
  const char* step = "";  ///< refused: what of it, where it has several steps
};

}  // namespace sbx
