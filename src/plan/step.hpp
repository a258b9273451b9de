// The steps of a plan: small structs, one per kind of work, grouped by the process that does it.
// Pure data. describe_step.cpp words them, launch/executor.cpp does them, hints.cpp why they fail;
// all three use std::visit without a catch-all, so a new kind does not compile until all know it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/cgroup_home.hpp"
#include "base/error.hpp"
#include "plan/payload_steps.hpp"

namespace sbx::plan {

/// Which process does a step, and when.
enum class Phase {
  host,     ///< supervisor, before clone
  clone,    ///< supervisor: the one clone3
  attend,   ///< supervisor, while init sets up
  init,     ///< init, until the payload may run
  payload,  ///< pid 2, between fork and exec: beside init, which it waits for
  guard,    ///< init, after the fork: what it gives up before it only reaps
};

/// Mount attributes (mount_setattr(2)) as data; true means the restriction is on.
struct MountFlags {
  bool read_only = true;
  bool no_suid = true;
  bool no_dev = true;
  bool no_exec = false;
  bool operator==(const MountFlags&) const = default;
};

// ---- host: supervisor, before clone
// --------------------------------------------------------------
/// Started by root: take a host uid = gid that no other run holds, and keep it until we end.
struct ReserveHostId {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};
/// Clone a tree of the caller's as a detached mount, with the caller's rights, and send it to init:
/// its AttachTree steps take the trees in the order of these steps. `idmap`: its owner on disk
/// (uid, gid) appears as the payload's user, in both directions.
struct DetachTree {
  std::string source;
  bool recursive = true;
  bool idmap = false;
  std::uint32_t owner_uid = 0;
  std::uint32_t owner_gid = 0;
};
struct CgroupSetting {
  std::string file;
  std::string value;
};
/// cgroup v2 (phase host): make the group and write its limits; clone3 puts init into it.
/// cgroup v1 (phase attend): make it and write its limits; HandOverCgroups lets the payload join.
struct MakeCgroup {
  int version = 2;
  std::vector<std::string> controllers;  ///< v1: sharing this hierarchy; v2: to be handed down
  std::vector<CgroupHome> homes;         ///< tried in this order; never empty
  std::string name;                      ///< the run's group below the home
  std::vector<CgroupSetting> settings;
};

// ---- clone
// ---------------------------------------------------------------------------------------
struct CloneNamespaces {
  std::uint64_t flags = 0;
};

// ---- attend
// --------------------------------------------------------------------------------------
/// Map the one id inside to the run's own host id (root) or to the caller's (ordinary user).
struct WriteIdMaps {
  std::uint32_t inner_uid = 0;
  std::uint32_t inner_gid = 0;
  bool reserved = false;
};

/// oom_score_adj = 0 (proc_pid_oom_score_adj(5)): the caller's negative one would be the tree's,
/// whose memory then no OOM killer frees. The supervisor does it for init (attend), and as the
/// host's root for good; without a message to wait for, init itself.
struct ResetOomScore {};
struct HandOverCgroups {};  ///< v1: to init, for the payload

// ---- init
// ----------------------------------------------------------------------------------------
struct AwaitIdMaps {};
/// PR_SET_PDEATHSIG, then look whether the supervisor still lives. `end_tree`: no pid namespace
/// dies with us, so that we are told and end the tree ourselves.
struct DieWithSupervisor {
  bool end_tree = false;
};
struct SetTimeOffsets {
  std::optional<std::int64_t> monotonic_ms;
  std::optional<std::int64_t> boottime_ms;
};
struct BecomeInnerIds {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  bool drop_groups = false;
};
/// Without a user namespace: init and all below it are the run's own host id, and nobody's group.
struct BecomeReservedId {};
/// Without a pid namespace: orphans of the tree are init's, and nobody in it may signal others.
struct HoldTree {
  int landlock_abi = 0;
};
/// Ends the tree should init be killed: nobody else may, and nobody else knows who is in it.
struct ForkKeeper {};
/// Without a mount namespace: a private folder of the host's, removed at the end.
struct MakeScratch {
  std::string path;
};
/// user.max_user_namespaces = 0, and less than the host of inotify, in the sandbox's own user
/// namespace.
struct ForbidNamespaces {};
struct SetHostname {
  std::string name;
};
struct PrivatePropagation {};
struct MountRoot {
  std::uint64_t size = 0;
};
struct MakeDir {
  std::string path;
  unsigned mode = 0755;
};
struct MakeSymlink {
  std::string path;
  std::string link;
};
struct CopyFile {  ///< of the host's; everybody may read it
  std::string source;
  std::string path;
  unsigned mode = 0444;
};
struct WriteFile {
  std::string path;
  std::string content;
  unsigned mode = 0444;
};
/// The value of Plan::secrets[index], which the launch has and the plan has not.
struct WriteSecret {
  std::size_t index = 0;
  std::string name;
  std::string path;
  unsigned mode = 0400;
};
/// Bind from the host's tree, found again inside init's own mount namespace.
struct BindTree {
  std::string source;
  std::string target;
  bool recursive = true;
  MountFlags flags;
};
struct AttachTree {  ///< the next tree that DetachTree has sent
  std::string target;
  MountFlags flags;
};
struct MountTmpfs {
  std::string target;
  std::uint64_t size = 0;
  std::uint64_t inodes = 0;
  unsigned mode = 0755;
  MountFlags flags;
};
/// Earlier steps mounted a tmpfs of `size` bytes at `staging`, which takes the changes, and
/// attached the lower tree at `staging`/lower; both are taken away again, so that only the merged
/// tree can be reached. `hand_over`: the supervisor gets the folder of the changes. `or_copy`:
/// where overlayfs refuses, a copy in that tmpfs stands in, and the supervisor is told.
struct MountOverlay {
  std::string staging;
  std::string target;
  std::uint64_t size = 0;
  MountFlags flags;
  bool hand_over = false;
  bool or_copy = false;
};
/// Fill the empty file or folder `target`, in a tmpfs, with a copy of what an earlier step attached
/// at `staging`, and take that away again. `links`: a name that nothing in there has, for the time
/// of the copy.
struct CopyIn {
  std::string staging;
  std::string target;
  bool folder = false;
  std::string links;
};
/// Put flags on a mount of ours; recursively for "/", which covers everything attached so far.
struct SealMount {
  std::string path;
  bool recursive = false;
  MountFlags flags;
};
/// Bind a file or folder of the new root to another place in it.
struct BindInside {
  std::string source;
  std::string target;
  MountFlags flags;
};
/// Bind a device node of the host's /dev.
struct BindDevice {
  std::string source;
  std::string target;
};
struct MountProc {
  std::string target;
};
struct MountDevpts {
  std::string target;
};
/// POSIX message queues of the sandbox's own IPC namespace. To Landlock they lie below no folder
/// but the root of this file system, so that without it no rule could allow them (mq_open(3)).
struct MountQueues {
  std::string target;
};
struct MaskPath {
  std::string path;
  bool optional = true;
  bool of_others = false;  ///< need not be hidden where the payload's user may not go
};
/// Every match at start, walked without following links. Below each of `held`, the folders above a
/// match are held as by ProtectPath.
struct MaskGlob {
  std::string pattern;
  std::string folder;  ///< what stands before the first wildcard, and may be missing
  std::vector<std::string> held{};
};
/// Bind onto itself: read-only, or (`held`) only so that it cannot be renamed or removed.
struct ProtectPath {
  std::string path;
  bool held = false;
  bool optional = true;  ///< missing is fine
};
struct LendRoot {};      ///< the payload, too, works on the new root, on what is there by then
struct TakeRootBack {};  ///< wait until it does no longer
/// A copy of the finished tree to the supervisor, which finds artifacts in it when all is over.
struct HandOverRoot {
  std::vector<std::string> collect;
};
struct PivotRoot {};
struct PassCgroups {};    ///< v1: from the supervisor to the payload
struct UnshareCgroup {};  ///< v1: after the move, so that the group shows as "/"
struct JoinCgroups {};  ///< v1: move ourselves under our limits, once the supervisor has made them
/// Early: the payload makes the network, the dearest of the namespaces, while init makes the root.
struct ForkPayload {};
struct ShowRoot {};      ///< tells the payload that the root it stands in is the new one
struct DropOldRoot {};   ///< detach the host's tree
struct EnterNetwork {};  ///< join the namespace that the payload has made
struct ReleasePayload {
};  ///< tells the payload, once the supervisor is ready, that init has nothing left to hide

using Action =
    std::variant<ReserveHostId, DetachTree, MakeCgroup, CloneNamespaces, ResetOomScore, WriteIdMaps,
                 HandOverCgroups, AwaitIdMaps, DieWithSupervisor, SetTimeOffsets, BecomeInnerIds,
                 BecomeReservedId, HoldTree, ForkKeeper, MakeScratch, ForbidNamespaces, SetHostname,
                 PrivatePropagation, MountRoot, MakeDir, MakeSymlink, WriteFile, WriteSecret,
                 CopyFile, BindTree, AttachTree, MountTmpfs, MountOverlay, CopyIn, SealMount,
                 BindInside, BindDevice, MountProc, MountDevpts, MountQueues, MaskPath, MaskGlob,
                 ProtectPath, LendRoot, TakeRootBack, HandOverRoot, PivotRoot, PassCgroups,
                 UnshareCgroup, JoinCgroups, ForkPayload, ShowRoot, DropOldRoot, EnterNetwork,
                 ReleasePayload, NewNetwork, RaiseLoopback, RouteToSelf, OpenGateway, BorrowRoot,
                 ReturnRoot, AwaitRoot, AwaitRelease, AwaitGateway, DieWithInit, OpenPty,
                 NewSession, PlaceStdio, SetRlimit, ChangeDir, ResolveExecutable, NoNewPrivs,
                 ApplyLandlock, EmptyBoundingSet, DropCapabilities, SetDumpable, HideCommandLine,
                 ResetSignals, ResetInherited, CloseDescriptors, InstallSeccomp, ExecPayload, Fail>;

struct Step {
  Phase phase = Phase::init;
  Action action;
  std::string reason{};  ///< why this run has this step: "the default", "limits.memory", ...
  Origin origin{};       ///< the profile line behind it; empty file for a default
};

}  // namespace sbx::plan
