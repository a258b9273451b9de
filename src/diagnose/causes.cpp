#include "diagnose/causes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/machine.hpp"
#include "base/text.hpp"
#include "diagnose/container_advice.hpp"
#include "diagnose/lacking_rights.hpp"
#include "diagnose/landlock_cause.hpp"
#include "diagnose/without_namespaces.hpp"

namespace sbx::diagnose {
namespace {

constexpr const char* kUserClone = "kernel.unprivileged_userns_clone";
constexpr const char* kAppArmor = "kernel.apparmor_restrict_unprivileged_userns";

bool refuses(int error) { return error == EPERM || error == EACCES; }

std::string by_root(const std::string& command) { return "as root: " + command; }

bool has_id(const std::vector<IdRange>& ranges, std::uint64_t id) {
  return std::ranges::any_of(
      ranges, [id](const IdRange& r) { return id >= r.first && id - r.first < r.count; });
}

/// A kind as the kernel abbreviates it in /proc/PID/ns and in sysctls.
struct Kind {
  Feature feature;
  const char* name;
  const char* option;
};
constexpr std::array kKinds{Kind{Feature::user_namespace, "user", "CONFIG_USER_NS"},
                            Kind{Feature::mount_namespace, "mnt", "CONFIG_NAMESPACES"},
                            Kind{Feature::pid_namespace, "pid", "CONFIG_PID_NS"},
                            Kind{Feature::ipc_namespace, "ipc", "CONFIG_IPC_NS"},
                            Kind{Feature::uts_namespace, "uts", "CONFIG_UTS_NS"},
                            Kind{Feature::network_namespace, "net", "CONFIG_NET_NS"},
                            Kind{Feature::cgroup_namespace, "cgroup", "CONFIG_CGROUPS"},
                            Kind{Feature::time_namespace, "time", "CONFIG_TIME_NS (Linux 5.6)"}};

const Kind* kind_of(Feature feature) {
  const auto* found = std::ranges::find(kKinds, feature, &Kind::feature);
  return found == kKinds.end() ? nullptr : found;
}

/// ENOSPC and EUSERS: user_namespaces(7), "Limits on the number of user namespaces".
Cause count_cause(const Kind& wanted, const Surroundings& around) {
  // A run asks for all kinds at once, and the errno does not say which of them it was.
  const auto* const none = std::ranges::find_if(kKinds, [&](const Kind& kind) {
    const bool at_once = wanted.feature == Feature::user_namespace &&
                         kind.feature != Feature::network_namespace &&
                         kind.feature != Feature::time_namespace;
    return (at_once || kind.feature == wanted.feature) &&
           around.setting(std::string("user.max_") + kind.name + "_namespaces") == 0;
  });
  const Kind& kind = none == kKinds.end() ? wanted : *none;
  const std::string name = std::string("user.max_") + kind.name + "_namespaces";
  const auto value = around.setting(name);
  if (value == 0) return {name + " is 0", by_root("sysctl -w " + name + "=15000")};
  return {"a limit on namespaces is reached: " + name +
              (value ? " is " + std::to_string(*value) : "") +
              " here, and may be lower in a namespace around this one",
          "raise it there, or end sandboxes that nobody needs"};
}

/// No security module holds us by a profile of its own.
bool is_unconfined(std::string_view label) {
  return label.empty() || label.starts_with("unconfined") || label.ends_with(" (unconfined)") ||
         label.contains(":unconfined_") || label.starts_with("kernel");
}

/// Ubuntu 23.10 refuses the namespace; 24.04 makes it, and takes every right in it away.
Cause apparmor_cause(const Surroundings& around) {
  const bool without_profile = around.label.empty() || around.label == "unconfined";
  if (around.admin || !without_profile || around.setting(kAppArmor).value_or(0) == 0) return {};
  return {"AppArmor keeps namespaces from programs without a profile (" + std::string(kAppArmor) +
              " is 1)",
          by_root("install packaging/apparmor/sbx as /etc/apparmor.d/sbx, then: apparmor_parser "
                  "-r /etc/apparmor.d/sbx")};
}

Cause user_namespace_cause(const Surroundings& around) {
  if (!around.admin && around.setting(kUserClone) == 0)
    return {std::string(kUserClone) + " is 0",
            by_root("sysctl -w " + std::string(kUserClone) + "=1")};
  if (around.chrooted)
    return {"sbx is in a chroot, where the kernel makes no user namespace (unshare(2), EPERM)",
            "start it outside, or enter that tree by pivot_root (systemd-nspawn, bwrap) instead of "
            "chroot"};
  if (around.proc && (!has_id(around.uids, around.euid) || !has_id(around.gids, around.egid)))
    return {"our own user or group id has no mapping in this user namespace",
            "start sbx as a user that exists there"};
  if (around.euid == 0 && around.proc &&
      (!has_id(around.uids, around.run_id) || !has_id(around.gids, around.run_id)))
    return {
        "root of this user namespace has few ids, and not those that a run of root's takes (from " +
            std::to_string(around.run_id) + " on)",
        container_advice(around.container, Obstacle::ids)};
  return {};
}

/// What refuses without a sysctl or a list of calls that could be read.
Cause confinement_cause(Feature feature, int error, const Surroundings& around) {
  const std::string_view label = around.label;
  if (!is_unconfined(label))
    return {"a security module confines us as " + quote(label),
            container_advice(around.container, Obstacle::no_mount)};
  if (around.filtered)
    return {"a seccomp filter is around sbx, and may look at arguments",
            container_advice(around.container, Obstacle::filter)};
  // landlock(7): where any access to files is handled, mount(2) and pivot_root(2) are EPERM.
  if (feature != Feature::user_namespace && error == EPERM && around.landlock_abi > 0)
    return {
        "the kernel gives no reason; it does so inside a Landlock sandbox, where nothing can be "
        "mounted, and for a security module (SELinux, a BPF program)",
        "start sbx outside of it"};
  if (feature != Feature::user_namespace) return {};
  return {
      "the kernel gives no reason; it does so in a chroot, and for a security module (SELinux, a "
      "BPF program)",
      "start sbx outside of it"};
}

Cause proc_cause(const Surroundings& around) {
  if (!around.proc)
    return {
        "no procfs of our own pid namespace is at /proc, and the kernel mounts a new one only "
        "where one is visible",
        by_root("mount -t proc proc /proc")};
  if (around.masked.empty()) return {};
  return {"parts of /proc are covered (" + join_some(around.masked, 3) +
              "), and the kernel mounts a new one only where all of one is visible",
          container_advice(around.container, Obstacle::masks)};
}

Cause device_cause(int error, const Surroundings& around, const char* node,
                   const std::string& absent) {
  const std::string name = node;
  const std::string give = "give it to the container: --device " + name;
  if (error == ENOENT || error == ENXIO || error == ENODEV)
    return {name + (error == ENOENT ? " is not there" : " has nothing behind it"),
            around.container.empty() ? absent : give};
  if (error == EACCES) return {"you may not open " + name, "join the group that it belongs to"};
  if (error == EPERM) return {name + " is kept from this container or cgroup", give};
  return {};
}

/// On arm64 KVM is no module.
std::string kvm_fix() {
  return kMachine == Machine::x86_64
             ? by_root("modprobe kvm_intel (or kvm_amd), where the processor is not virtual")
             : "use a host whose kernel is started with virtualization, at EL2";
}

Cause notify_cause(int error) {
  if (error == EBUSY)
    return {"a filter around sbx has a listener already, and there is only one (seccomp(2))",
            "start sbx outside of that sandbox; runs here are as strict, but cannot tell what they "
            "denied"};
  return {error == EINVAL ? "it needs Linux 5.0" : "", ""};
}

Cause limits_cause(std::optional<Feature> feature, int error, const Surroundings& around) {
  const bool makes_process = feature && kind_of(*feature) != nullptr;
  constexpr std::uint64_t kFew = 1000;
  const bool few = around.processes && *around.processes < kFew;
  if (error == EAGAIN && makes_process)
    return {
        few ? "the user may have " + std::to_string(*around.processes) + " processes (ulimit -u)"
            : "no more processes may be made (the cgroup's pids.max, ulimit -u, kernel.pid_max)",
        "raise it: ulimit -u, TasksMax= of a systemd unit, --pids-limit of a container"};
  if (error == EMFILE)
    return {around.files
                ? "only " + std::to_string(*around.files) + " files may be open (ulimit -n)"
                : "",
            "raise it: ulimit -n " +
                std::to_string(std::max<std::uint64_t>(2 * around.files.value_or(0), 1024))};
  return {};
}

/// An errno that means one thing, whatever is around.
struct Missing {
  Feature feature;
  int error;
  const char* why;
  const char* fix;
};
constexpr std::array kMissing{
    Missing{Feature::seccomp, EINVAL, "this kernel was built without CONFIG_SECCOMP_FILTER",
            "use another kernel"},
    Missing{Feature::pty, ENOENT, "there is no /dev/ptmx",
            "as root: mount -t devpts devpts /dev/pts, and link /dev/ptmx to pts/ptmx"},
    Missing{Feature::overlay, ENODEV, "this kernel has no overlayfs", "as root: modprobe overlay"},
    Missing{Feature::idmapped_mount, EPERM,
            "only root of the user namespace that owns this folder's file system may id-map it",
            "start sbx as an ordinary user, or go on without: --degrade idmap"},
    Missing{
        Feature::idmapped_mount, EINVAL, "the file system of this folder cannot be id-mapped",
        "use another folder, start sbx as an ordinary user, or go on without: --degrade idmap"}};

Cause own_cause(Feature feature, int error, const Surroundings& around) {
  const Kind* const kind = kind_of(feature);
  if (kind != nullptr && (error == ENOSPC || error == EUSERS)) return count_cause(*kind, around);
  if (kind != nullptr && error == EINVAL && around.proc &&
      std::ranges::find(around.namespaces, kind->name) == around.namespaces.end())
    return {std::string("this kernel was built without ") + kind->option, "use another kernel"};
  // Ids are mapped by files of /proc; another pid namespace's belong to processes of others.
  const bool maps = feature == Feature::user_namespace || feature == Feature::idmapped_mount;
  if (maps && (error == ENOENT || error == EACCES) && !around.proc) return proc_cause(around);
  if (maps && refuses(error))
    if (Cause lacking = lacking_cause(feature, around); !lacking.why.empty()) return lacking;
  // EINVAL: a file cannot be given to an id that does not exist here (chown(2)).
  if (feature == Feature::user_namespace && (refuses(error) || error == EINVAL))
    return user_namespace_cause(around);
  if (maps && error == EROFS)
    return {"/proc is read-only here, and ids are mapped by writing there",
            container_advice(around.container, Obstacle::masks)};
  // The limit is a file of the sandbox's own /proc.
  if ((feature == Feature::proc || feature == Feature::namespace_limit) && refuses(error))
    return proc_cause(around);
  if (feature == Feature::landlock) return landlock_cause(error, around);
  if (feature == Feature::seccomp_notify) return notify_cause(error);
  if (feature == Feature::tun)
    return device_cause(error, around, "/dev/net/tun", by_root("modprobe tun"));
  if (feature == Feature::kvm) return device_cause(error, around, "/dev/kvm", kvm_fix());
  for (const Missing& one : kMissing)
    if (one.feature == feature && one.error == error) return {one.why, one.fix};
  return {};
}

/// Inside a sandbox of sbx already; else nothing.
Cause nested_cause(const Surroundings& around) {
  if (around.container != "sbx") return {};
  return {"this is the inside of a sandbox of sbx, where no second one can be made",
          container_advice("sbx", Obstacle::filter)};
}

/// What a filter (or a kernel that is too old) refuses, whatever was tried; empty: nothing.
Cause refused_calls_cause(const Surroundings& around) {
  if (around.refused.empty()) return {};
  std::vector<std::string> names;
  names.reserve(around.refused.size());
  for (const RefusedCall& call : around.refused)
    names.push_back(call.name + " (" + (call.error == 0 ? "kills" : errno_name(call.error)) + ")");
  if (!around.filtered)
    return {"Linux " + around.kernel + " lacks " + join_some(names, 3),
            "sbx needs Linux 5.12 or later"};
  return {"a seccomp filter around sbx refuses " + join_some(names, 3),
          container_advice(around.container, Obstacle::filter)};
}

}  // namespace

Cause likely_cause(Feature feature, int error, const Surroundings& around) {
  // What a sandbox is made of; the others are nodes and files that may be there or not.
  const bool of_sandbox = feature < Feature::landlock;
  if (Cause nested = nested_cause(around); of_sandbox && !nested.why.empty()) return nested;
  // A call that fails whatever is asked explains every refusal; what is left is about this feature.
  const bool by_call = refuses(error) || error == ENOSYS || error == 0;
  if (Cause calls = refused_calls_cause(around); by_call && !calls.why.empty()) return calls;
  if (Cause limits = limits_cause(feature, error, around); !limits.why.empty()) return limits;
  const bool in_namespace = feature <= Feature::overlay;
  if (Cause apparmor = apparmor_cause(around);
      in_namespace && refuses(error) && !apparmor.why.empty())
    return apparmor;
  if (Cause own = own_cause(feature, error, around); !own.why.empty()) return own;
  const bool rights = feature >= Feature::user_namespace && feature <= Feature::overlay;
  return rights && refuses(error) ? confinement_cause(feature, error, around) : Cause{};
}

void add_cause(Error& error, const Surroundings& around, bool bare) {
  if (!error.cause.empty()) return;
  Cause cause = error.feature ? likely_cause(*error.feature, error.sys_errno, around)
                              : limits_cause({}, error.sys_errno, around);
  if (cause.why.empty() && !error.feature) cause = nested_cause(around);
  if (cause.why.empty()) return;
  error.cause = std::move(cause.why);
  if (!cause.fix.empty()) error.hint = std::move(cause.fix);
  if (bare && can_do_without(error.feature, error.sys_errno, around))
    error.hint += ", or accept less: --degrade userns";
}

}  // namespace sbx::diagnose
