// Advice for each kind of step that can fail on somebody's host.
#include "plan/hints.hpp"

#include <cerrno>

#include "base/text.hpp"

namespace sbx::plan {
namespace {

constexpr const char* kNamespaceHint =
    "this host does not let you make namespaces; as root, one of these allows it: sysctl -w "
    "kernel.unprivileged_userns_clone=1 (Debian), sysctl -w user.max_user_namespaces=15000, sysctl "
    "-w kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu); in a container, another seccomp "
    "profile";
constexpr const char* kNoSpaceHint =
    "a limit on namespaces is reached: sysctl user.max_user_namespaces and its siblings";
constexpr const char* kMountPointHint =
    "a mount point inside a folder of yours has to exist there: make it first, or choose a place "
    "outside of that folder";
constexpr const char* kSourceHint =
    "it changed while sbx started, or a component of its path is a symbolic link now";
constexpr const char* kMaskHint =
    "a symbolic link is there or on the way, and hiding follows none: name what it leads to";
constexpr const char* kProcHint =
    "the kernel mounts a fresh /proc only where an unmasked one is visible: in a container, start "
    "it with an unmasked /proc (docker run --security-opt systempaths=unconfined)";
constexpr const char* kListenerHint =
    "another sandbox around sbx listens to its own filter: name 64 tcp ports at most";
constexpr const char* kKernelHint = "sbx needs Linux 5.12 or newer with this feature built in";
constexpr const char* kLayersHint = "start sbx outside of some of them";

bool is_refusal(int error) { return error == EPERM || error == EACCES; }

/// A path that was named but cannot be reached (source) or mounted on (target).
std::string bind_hint(int error) {
  if (error == ENOENT || error == ENOTDIR) return kMountPointHint;
  if (error == ELOOP || error == EXDEV) return kSourceHint;
  if (error == EACCES) return "you may not enter a folder on the way to it";
  // move_mount(2) takes only a folder onto a folder, and anything else onto a file.
  if (error == EINVAL)
    return "what is there has to be of its kind, a folder or a file and no link; else its file "
           "system cannot be bound here (a locked mount, perhaps)";
  return "";
}

std::string cgroup_hint(int error) {
  if (is_refusal(error) || error == EROFS || error == ENOENT)
    return "the cgroup tree cannot be written here: start sbx as root or in a delegated group, or "
           "go on without these limits: --degrade cgroup";
  if (error == EINVAL || error == ERANGE)
    return "the kernel refuses the value: compare the limit with what this machine has";
  if (error == EBUSY || error == EEXIST) return "a group of that name is in use; try again";
  return "";
}

/// overlayfs has refused, and the copy that is to stand in for it has failed.
std::string copy_hint(int error) {
  if (error == ENOSPC)
    return "overlayfs refuses this folder, and its copy does not fit: enlarge workspace.size, or "
           "use a smaller folder";
  if (error == EACCES)
    return "overlayfs refuses this folder, and it holds a file or folder that the command's user "
           "may not read, so that it cannot be copied whole";
  if (error == ELOOP) return "overlayfs refuses this folder, and it is nested too deep for a copy";
  return "overlayfs refuses this folder, and it cannot be copied: use mode ro or rw, or a folder "
         "elsewhere";
}

/// Something cannot be made: in the new root (MountRoot), or in a folder of the host.
std::string making_hint(int error) {
  if (error == ENOSPC || error == EDQUOT)
    return "what it is made in is full: the new root holds 64M and 4096 files and folders of the "
           "profile, a folder of yours what its file system and your quota give";
  return error == EIO ? "" : kMountPointHint;
}

bool has_run_out(int error) { return error == EMFILE || error == ENFILE || error == ENOMEM; }

/// What an errno means whatever the step.
std::string general_hint(int error) {
  if (error == ENOSYS || error == EPERM)
    return "the kernel lacks this (sbx needs Linux 5.12 or newer), or something around sbx forbids "
           "it: a container's seccomp profile, another sandbox, a security module";
  if (error == EMFILE) return "the caller's limit on open files is too small: ulimit -n";
  if (error == ETOOMANYREFS)
    return "too many runs of this user start at once for the limit on open files: ulimit -n";
  if (error == EFBIG) return kFileSizeHint;
  if (error == ENFILE || error == ENOMEM) return "the host is out of memory or of open files";
  if (error == ENOSPC) return "a limit of the kernel is reached (sysctl fs.mount-max, user.max_*)";
  return "sbx doctor tries what this step needs; if it finds nothing, report this message as a "
         "defect";
}

struct Hint {
  int error;

  std::string operator()(const ReserveHostId&) const {
    if (error == EAGAIN)
      return "every host id of the range is in use: end runs, or build sbx with a larger "
             "-Dhost_id_count";
    return "the lock file /run/sbx/ids.lock must be writable for root";
  }
  std::string operator()(const DetachTree& step) const {
    if (step.idmap && (error == EINVAL || error == EOPNOTSUPP))
      return "its file system cannot be id-mapped, which root needs so that owners stay right: use "
             "another folder, start sbx as an ordinary user, or go on without: --degrade idmap";
    return bind_hint(error);
  }
  std::string operator()(const MakeCgroup&) const { return cgroup_hint(error); }
  std::string operator()(const CloneNamespaces&) const {
    if (is_refusal(error) || error == EINVAL) return kNamespaceHint;
    if (error == ENOSPC || error == EUSERS) return kNoSpaceHint;
    if (error == ENOSYS) return kKernelHint;
    if (error == EAGAIN) return "too many processes: look at ulimit -u and the cgroup's pids.max";
    return "";
  }
  std::string operator()(const ResetOomScore&) const { return ""; }
  std::string operator()(const WriteIdMaps&) const {
    return is_refusal(error) ? kNamespaceHint : "";
  }
  std::string operator()(const HandOverCgroups&) const { return cgroup_hint(error); }
  std::string operator()(const AwaitIdMaps&) const { return ""; }
  std::string operator()(const DieWithSupervisor&) const { return ""; }
  std::string operator()(const SetTimeOffsets&) const {
    if (is_refusal(error)) return "";
    if (error == EINVAL) return "time namespaces need Linux 5.6 with CONFIG_TIME_NS";
    return "an offset may not make a clock negative: this host has not been up for so long";
  }
  std::string operator()(const BecomeInnerIds&) const { return ""; }
  std::string operator()(const BecomeReservedId&) const {
    return "the id must exist in this user namespace, and sbx may change to it (CAP_SETUID, "
           "CAP_SETGID): start sbx as an ordinary user otherwise";
  }
  std::string operator()(const HoldTree&) const { return error == E2BIG ? kLayersHint : ""; }
  std::string operator()(const ForkKeeper&) const { return ""; }
  std::string operator()(const MakeScratch&) const {
    return "the run's HOME is made there: set TMPDIR to a folder that everybody may write to";
  }
  std::string operator()(const ForbidNamespaces&) const {
    return "sbx writes /proc/sys/user/max_user_namespaces of its own namespace: the kernel must "
           "have it (CONFIG_SYSCTL), and a security module allow it";
  }
  std::string operator()(const SetHostname&) const { return ""; }
  std::string operator()(const PrivatePropagation&) const {
    return is_refusal(error) ? kNamespaceHint : "";
  }
  std::string operator()(const MountRoot&) const {
    return is_refusal(error) ? kNamespaceHint : kKernelHint;
  }
  std::string operator()(const MakeDir&) const { return making_hint(error); }
  std::string operator()(const MakeSymlink&) const { return making_hint(error); }
  std::string operator()(const WriteFile&) const {
    if (error == EEXIST)
      return "something else is at that place: choose another inside the sandbox";
    return making_hint(error);
  }
  std::string operator()(const WriteSecret&) const { return making_hint(error); }
  std::string operator()(const CopyFile&) const { return bind_hint(error); }
  std::string operator()(const BindTree&) const { return bind_hint(error); }
  std::string operator()(const AttachTree&) const { return bind_hint(error); }
  std::string operator()(const MountTmpfs&) const { return bind_hint(error); }
  std::string operator()(const MountOverlay& step) const {
    return step.or_copy ? copy_hint(error)
                        : "overlayfs refuses this folder (an overlay itself, or a file system "
                          "without what it needs): use mode ro or rw, a folder elsewhere, or let a "
                          "copy stand in: --degrade overlay";
  }
  std::string operator()(const CopyIn&) const {
    if (error == ENOSPC) return "it does not fit: give the tmpfs that it goes to more room (size)";
    if (error == EACCES) return "it holds a file or folder that the command's user may not read";
    if (error == ELOOP) return "its folders are nested too deep for a copy";
    return "";
  }
  std::string operator()(const SealMount&) const { return ""; }
  std::string operator()(const BindInside&) const { return bind_hint(error); }
  std::string operator()(const BindDevice&) const {
    return "the device must exist on the host, as a character device";
  }
  std::string operator()(const MountProc&) const { return is_refusal(error) ? kProcHint : ""; }
  std::string operator()(const MountDevpts&) const {
    return is_refusal(error) ? kNamespaceHint : "";
  }
  std::string operator()(const MountQueues&) const {
    return error == ENODEV ? "this kernel has no POSIX message queues (CONFIG_POSIX_MQUEUE): take "
                             "mqueue out of devices"
                           : "";
  }
  std::string operator()(const MaskPath&) const { return error == ELOOP ? kMaskHint : ""; }
  std::string operator()(const MaskGlob&) const {
    if (error == ELOOP) return kMaskHint;
    if (error == E2BIG)
      return "the pattern matches more than 1024 places: hide their folder instead";
    if (error == ENAMETOOLONG)
      return "it leads through folders nested more than 64 deep: name what to hide more exactly";
    if (error == EACCES)
      return "a folder on its way can be entered but not listed: name what to hide in it exactly";
    return "";
  }
  std::string operator()(const ProtectPath&) const {
    return error == ENOENT || error == ELOOP ? kSourceHint : "";
  }
  std::string operator()(const LendRoot&) const { return ""; }
  std::string operator()(const TakeRootBack&) const { return ""; }
  std::string operator()(const HandOverRoot&) const { return ""; }
  std::string operator()(const PivotRoot&) const {
    return error == EINVAL ? "sbx cannot start from a chroot or an initramfs (pivot_root(2))" : "";
  }
  std::string operator()(const PassCgroups&) const { return ""; }
  std::string operator()(const UnshareCgroup&) const { return ""; }
  std::string operator()(const JoinCgroups&) const { return cgroup_hint(error); }
  std::string operator()(const ForkPayload&) const {
    return error == EAGAIN
               ? "limits.pids or the user's process limit is too small even for the start"
               : "";
  }
  std::string operator()(const ShowRoot&) const { return ""; }
  std::string operator()(const DropOldRoot&) const { return ""; }
  std::string operator()(const EnterNetwork&) const { return ""; }
  std::string operator()(const ReleasePayload&) const { return ""; }
  std::string operator()(const NewNetwork&) const {
    if (is_refusal(error) || error == EINVAL) return kNamespaceHint;
    return error == ENOSPC || error == EUSERS ? kNoSpaceHint : "";
  }
  std::string operator()(const RaiseLoopback&) const { return ""; }
  std::string operator()(const RouteToSelf&) const { return ""; }
  std::string operator()(const OpenGateway&) const { return ""; }
  std::string operator()(const BorrowRoot&) const { return ""; }
  std::string operator()(const ReturnRoot&) const { return ""; }
  std::string operator()(const AwaitRoot&) const { return ""; }
  std::string operator()(const AwaitRelease&) const { return ""; }
  std::string operator()(const AwaitGateway&) const { return ""; }
  std::string operator()(const DieWithInit&) const { return ""; }
  std::string operator()(const OpenPty&) const { return "run without a terminal: --no-tty"; }
  std::string operator()(const NewSession&) const { return ""; }
  std::string operator()(const PlaceStdio&) const { return ""; }
  std::string operator()(const SetRlimit&) const { return "look at limits.rlimits"; }
  std::string operator()(const ChangeDir& step) const {
    if (error == EACCES)
      return "the command's user may not enter " + quote(step.path) +
             ": open it to others (chmod o+x, also what is above it), or choose another with "
             "--workdir";
    if (error == ENOTDIR)
      return "workdir " + quote(step.path) +
             " is, or lies in, something inside the sandbox that is no folder: choose another with "
             "--workdir";
    return "workdir " + quote(step.path) +
           " must exist inside the sandbox: mount something there, or "
           "choose another with --workdir";
  }
  std::string operator()(const ResolveExecutable&) const { return ""; }
  std::string operator()(const NoNewPrivs&) const { return ""; }
  std::string operator()(const ApplyLandlock& step) const {
    if (error == E2BIG)
      return kLayersHint + std::string(step.only_wall
                                           ? ""
                                           : ", or go on without the second wall: --landlock off");
    if (step.only_wall && (error == EACCES || error == ENOENT))
      return "the command's user cannot reach it: open it to others (chmod o+x, also what is above "
             "it), or take it out of the profile";
    if (step.only_wall) return "";
    return "go on without the second wall: --landlock off";
  }
  std::string operator()(const EmptyBoundingSet&) const { return ""; }
  std::string operator()(const DropCapabilities&) const { return ""; }
  std::string operator()(const HideCommandLine&) const { return ""; }
  std::string operator()(const SetDumpable&) const { return ""; }
  std::string operator()(const ResetSignals&) const { return ""; }
  std::string operator()(const ResetInherited&) const {
    return error == EDQUOT ? "this user has too many keys: sysctl kernel.keys.maxkeys" : "";
  }
  std::string operator()(const CloseDescriptors&) const { return kKernelHint; }
  std::string operator()(const InstallSeccomp&) const {
    if (error == EBUSY) return kListenerHint;
    // The payload's limit is in force by now.
    if (error == ETOOMANYREFS)
      return "processes of this user have sent too much over sockets that nobody has received: end "
             "the run that holds it, or raise limits.rlimits.nofile above what that one may open";
    return "the kernel needs CONFIG_SECCOMP_FILTER";
  }
  std::string operator()(const ExecPayload&) const { return ""; }
  std::string operator()(const Fail&) const { return ""; }
};

}  // namespace

std::string hint_for(const Action& action, int error) {
  // What a step has of its own does not help there, and would be untrue.
  if (has_run_out(error)) return general_hint(error);
  if (std::string hint = std::visit(Hint{error}, action); !hint.empty()) return hint;
  return general_hint(error);
}

}  // namespace sbx::plan
