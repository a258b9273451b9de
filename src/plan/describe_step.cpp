// One line of text for each kind of step.
#include <linux/sched.h>

#include <array>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "plan/describe.hpp"

namespace sbx::plan {
namespace {

std::string flags_text(const MountFlags& flags) {
  std::string text = flags.read_only ? "read-only" : "writable";
  if (flags.no_suid) text += ", nosuid";
  if (flags.no_dev) text += ", nodev";
  if (flags.no_exec) text += ", noexec";
  return text;
}

std::string octal(unsigned mode) {
  std::string digits;
  for (int shift = 9; shift >= 0; shift -= 3)
    digits += static_cast<char>('0' + ((mode >> static_cast<unsigned>(shift)) & 7U));
  return digits;
}

std::string namespaces_text(std::uint64_t flags) {
  struct Name {
    std::uint64_t flag;
    std::string_view name;
  };
  constexpr std::array kNames{Name{CLONE_NEWUSER, "user"}, Name{CLONE_NEWPID, "pid"},
                              Name{CLONE_NEWNS, "mount"},  Name{CLONE_NEWIPC, "ipc"},
                              Name{CLONE_NEWUTS, "uts"},   Name{CLONE_NEWCGROUP, "cgroup"}};
  std::vector<std::string_view> names;
  for (const Name& name : kNames)
    if ((flags & name.flag) != 0) names.push_back(name.name);
  return join(names, ", ");
}

std::string settings_text(const MakeCgroup& group) {
  std::vector<std::string> parts;
  parts.reserve(group.settings.size());
  for (const CgroupSetting& setting : group.settings)
    parts.push_back(setting.file + " = " + setting.value);
  return parts.empty() ? "no settings" : join(parts, "; ");
}

std::string home_text(const CgroupHome& home, const std::string& name) {
  const std::string folder = home.mount + (home.group == "/" ? "" : home.group) + "/";
  switch (home.way) {
    case CgroupWay::direct:
      return "at " + quote(folder + name);
    case CgroupWay::leaf:
      return "at " + quote(folder + name) + " (sbx moves into a group beside it)";
    case CgroupWay::parent:
      return "at " + quote(folder + "sbx/" + name);
    case CgroupWay::scope:
      return "in a scope of the user's systemd manager";
  }
  return "";
}

std::string offset_text(const char* clock, const std::optional<std::int64_t>& offset) {
  if (!offset) return "";
  return std::string(" ") + clock + " " + format_duration(std::chrono::milliseconds(*offset));
}

/// Where reading is not allowed everywhere: what can be read.
std::string read_text(const ApplyLandlock& s) {
  if (!s.only_wall) return "";
  std::vector<std::string> places;
  for (const LandlockRule& rule : s.rules)
    if (!rule.writable && !rule.device) places.push_back(quote(rule.path));
  return "; reading also below " + join(places, ", ");
}

std::string ports_text(const char* kind, const std::vector<std::uint16_t>& ports) {
  std::string text;
  for (const std::uint16_t port : ports) text += (text.empty() ? " " : ", ") + std::to_string(port);
  return text.empty() ? text : kind + text;
}

std::string range_text(const network::PortRange& range) {
  const std::string first = std::to_string(range.first);
  return range.size() == 1 ? first : first + "-" + std::to_string(range.last);
}

struct Describe {
  std::string operator()(const ReserveHostId& s) const {
    return "take a host uid and gid of its own from " + std::to_string(s.first) + " to " +
           std::to_string(std::uint64_t{s.first} + s.count - 1);
  }
  std::string operator()(const DetachTree& s) const {
    std::string text = "open " + quote(s.source);
    if (s.idmap)
      text += ", its owner " + std::to_string(s.owner_uid) + ":" + std::to_string(s.owner_gid) +
              " shown as the payload's user";
    return text;
  }
  std::string operator()(const MakeCgroup& s) const {
    std::string text = "cgroup v" + std::to_string(s.version) + " ";
    if (!s.controllers.empty()) text += join(s.controllers, ",") + " ";
    for (const CgroupHome& home : s.homes)
      text += (&home == &s.homes.front() ? "" : ", or else ") + home_text(home, s.name);
    return text + ": " + settings_text(s);
  }
  std::string operator()(const CloneNamespaces& s) const {
    return s.flags == 0 ? "new process, in the namespaces that sbx is in"
                        : "new namespaces: " + namespaces_text(s.flags);
  }
  std::string operator()(const ResetOomScore&) const { return "reset the OOM score"; }
  std::string operator()(const WriteIdMaps& s) const {
    return "map " + std::to_string(s.inner_uid) + ":" + std::to_string(s.inner_gid) +
           " inside to " + (s.reserved ? "the reserved host id" : "the caller's own id");
  }
  std::string operator()(const HandOverCgroups&) const { return "hand the cgroups to init"; }
  std::string operator()(const AwaitIdMaps&) const { return "wait for the id maps"; }
  std::string operator()(const DieWithSupervisor& s) const {
    return s.end_tree ? "end the tree when the supervisor dies" : "die with the supervisor";
  }
  std::string operator()(const SetTimeOffsets& s) const {
    return "new time namespace:" + offset_text("monotonic", s.monotonic_ms) +
           offset_text("boottime", s.boottime_ms);
  }
  std::string operator()(const BecomeInnerIds& s) const {
    return "become uid " + std::to_string(s.uid) + ", gid " + std::to_string(s.gid) +
           (s.drop_groups ? ", no other groups" : "");
  }
  std::string operator()(const BecomeReservedId&) const {
    return "become the reserved host id, no other groups";
  }
  std::string operator()(const HoldTree& s) const {
    return "Landlock ABI " + std::to_string(s.landlock_abi) +
           ": signals reach only the tree; adopt its orphans";
  }
  std::string operator()(const ForkKeeper&) const {
    return "fork a keeper, which ends the tree if init is killed";
  }
  std::string operator()(const MakeScratch& s) const {
    return "make the private folder " + quote(s.path);
  }
  std::string operator()(const ForbidNamespaces&) const {
    return "forbid nested user namespaces, bound inotify";
  }
  std::string operator()(const SetHostname& s) const { return "host name " + quote(s.name); }
  std::string operator()(const PrivatePropagation&) const { return "make all mounts private"; }
  std::string operator()(const MountRoot& s) const {
    return "new root: tmpfs of " + format_bytes(s.size);
  }
  std::string operator()(const MakeDir& s) const {
    return "make folder " + quote(s.path) + ", mode " + octal(s.mode);
  }
  std::string operator()(const MakeSymlink& s) const {
    return "link " + quote(s.path) + " to " + quote(s.link);
  }
  std::string operator()(const CopyFile& s) const {
    return "copy " + quote(s.source) + (s.source == s.path ? "" : " to " + quote(s.path)) +
           ", mode " + octal(s.mode);
  }
  std::string operator()(const WriteFile& s) const {
    return "write " + quote(s.path) + ", " + std::to_string(s.content.size()) + " bytes, mode " +
           octal(s.mode);
  }
  std::string operator()(const WriteSecret& s) const {
    return "write the secret " + quote(s.name) + " to " + quote(s.path) + ", mode " + octal(s.mode);
  }
  std::string operator()(const BindTree& s) const {
    return "bind " + quote(s.source) + (s.source == s.target ? "" : " at " + quote(s.target)) +
           " " + flags_text(s.flags);
  }
  std::string operator()(const AttachTree& s) const {
    return "attach what was opened at " + quote(s.target) + " " + flags_text(s.flags);
  }
  std::string operator()(const MountTmpfs& s) const {
    return "tmpfs at " + quote(s.target) + " of " + format_bytes(s.size) + ", mode " +
           octal(s.mode) + ", " + flags_text(s.flags);
  }
  std::string operator()(const MountOverlay& s) const {
    return "overlay at " + quote(s.target) +
           (s.hand_over ? ", kept changes up to " : ", changes up to ") + format_bytes(s.size) +
           ", " + flags_text(s.flags) + (s.or_copy ? "; a copy, where overlayfs refuses" : "");
  }
  std::string operator()(const CopyIn& s) const { return "copy it to " + quote(s.target); }
  std::string operator()(const SealMount& s) const {
    return "make " + quote(s.path) + " " + flags_text(s.flags);
  }
  std::string operator()(const BindInside& s) const {
    return "bind " + quote(s.source) + " of the new root at " + quote(s.target) + " " +
           flags_text(s.flags);
  }
  std::string operator()(const BindDevice& s) const { return "device " + quote(s.target); }
  std::string operator()(const MountProc& s) const { return "proc at " + quote(s.target); }
  std::string operator()(const MountDevpts& s) const { return "devpts at " + quote(s.target); }
  std::string operator()(const MountQueues& s) const { return "mqueue at " + quote(s.target); }
  std::string operator()(const MaskPath& s) const { return "hide " + quote(s.path); }
  std::string operator()(const MaskGlob& s) const {
    return "hide all that match " + quote(s.pattern) +
           (s.held.empty() ? "" : ", and hold the folders above in their places");
  }
  std::string operator()(const ProtectPath& s) const {
    return s.held ? "hold " + quote(s.path) + " in its place"
                  : "make " + quote(s.path) + " read-only";
  }
  std::string operator()(const LendRoot&) const { return "lend the payload the new root"; }
  std::string operator()(const TakeRootBack&) const { return "take the new root back"; }
  std::string operator()(const HandOverRoot& s) const {
    return "hand the finished tree to the supervisor, which keeps " +
           printable(join(s.collect, ", "), std::string_view::npos);
  }
  std::string operator()(const PivotRoot&) const { return "enter the new root"; }
  std::string operator()(const PassCgroups&) const { return "hand the cgroups to the payload"; }
  std::string operator()(const UnshareCgroup&) const { return "hide the cgroup's path"; }
  std::string operator()(const JoinCgroups&) const { return "join the cgroups"; }
  std::string operator()(const ForkPayload&) const { return "fork the payload"; }
  std::string operator()(const ShowRoot&) const { return "show the payload the new root"; }
  std::string operator()(const DropOldRoot&) const { return "drop the old root"; }
  std::string operator()(const EnterNetwork&) const { return "enter the payload's network"; }
  std::string operator()(const ReleasePayload&) const { return "release the payload"; }
  std::string operator()(const NewNetwork&) const { return "new namespace: net"; }
  std::string operator()(const RaiseLoopback&) const { return "bring the loopback interface up"; }
  std::string operator()(const RouteToSelf&) const { return "route every address to loopback"; }
  std::string operator()(const OpenGateway& s) const {
    std::string text =
        "listen for the supervisor: DNS" + ports_text(", tcp", s.tcp) + ports_text(", udp", s.udp);
    for (const network::PortRange& range : s.late)
      text += (&range == &s.late.front() ? "; once wanted tcp " : ", ") + range_text(range);
    return text;
  }
  std::string operator()(const BorrowRoot&) const { return "borrow the new root"; }
  std::string operator()(const ReturnRoot&) const { return "give the new root back"; }
  std::string operator()(const AwaitRoot&) const { return "wait for the new root"; }
  std::string operator()(const AwaitRelease&) const { return "wait until init is ready"; }
  std::string operator()(const AwaitGateway&) const {
    return "wait until the supervisor watches what is refused";
  }
  std::string operator()(const DieWithInit&) const { return "die with init"; }
  std::string operator()(const OpenPty&) const { return "open a fresh terminal"; }
  std::string operator()(const NewSession& s) const {
    return s.controlling_tty ? "new session on the fresh terminal"
                             : "new session without a terminal";
  }
  std::string operator()(const PlaceStdio&) const { return "place descriptors 0, 1 and 2"; }
  std::string operator()(const SetRlimit& s) const {
    return "rlimit " + s.name + " = " + (s.value ? std::to_string(*s.value) : "unlimited");
  }
  std::string operator()(const ChangeDir& s) const { return "change to " + quote(s.path); }
  std::string operator()(const ResolveExecutable&) const { return "find the command"; }
  std::string operator()(const NoNewPrivs&) const { return "set no_new_privs"; }
  std::string operator()(const ApplyLandlock& s) const {
    std::vector<std::string> places;
    for (const LandlockRule& rule : s.rules)
      if (rule.writable) places.push_back(quote(rule.path));
    return "Landlock ABI " + std::to_string(s.abi) + ": writing only below " + join(places, ", ") +
           read_text(s) + (s.no_tcp ? "; no TCP" : "");
  }
  std::string operator()(const EmptyBoundingSet& s) const {
    return s.keep.empty() ? "empty the bounding set of capabilities"
                          : "empty the bounding set of capabilities but for " + join(s.keep, ", ");
  }
  std::string operator()(const DropCapabilities& s) const {
    if (!s.locked) return "drop every capability";
    return s.keep.empty()
               ? "drop every capability, lock the securebits"
               : "drop every capability but " + join(s.keep, ", ") + ", lock the securebits";
  }
  std::string operator()(const HideCommandLine&) const { return "hide the caller's command line"; }
  std::string operator()(const SetDumpable& s) const {
    return s.dumpable ? "make init traceable" : "make init untraceable";
  }
  std::string operator()(const ResetSignals&) const { return "reset signals"; }
  std::string operator()(const ResetInherited& s) const {
    return s.keyring ? "reset personality and real-time class, leave the session keyring"
                     : "reset personality and real-time class";
  }
  std::string operator()(const CloseDescriptors&) const { return "close all other descriptors"; }
  std::string operator()(const InstallSeccomp&) const { return "load the system call filter"; }
  std::string operator()(const ExecPayload&) const { return "execute the command"; }
  std::string operator()(const Fail& s) const {
    return "fail with errno " + std::to_string(s.error);
  }
};

}  // namespace

std::string describe(const Action& action) { return std::visit(Describe{}, action); }

}  // namespace sbx::plan
