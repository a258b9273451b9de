// The new root: the host's programs read-only, fresh /tmp, /proc, /dev, then what the profile
// names.
#include <algorithm>
#include <array>
#include <utility>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "plan/builder.hpp"
#include "plan/devices.hpp"
#include "plan/masks.hpp"
#include "plan/mount_parts.hpp"
#include "plan/processes.hpp"
#include "plan/secrets.hpp"
#include "plan/tree.hpp"

namespace sbx::plan {
namespace {

constexpr std::uint64_t kRootSize = 64U << 20U;  // small files; sealed before the payload
constexpr std::uint64_t kDefaultTmp = 256U << 20U;
constexpr std::uint64_t kShmSize = 64U << 20U;
constexpr std::uint64_t kTmpInodes = 100'000;
constexpr MountFlags kReadOnly{};
constexpr MountFlags kWritable{.read_only = false};
constexpr const char* kStaging = "/.sbx";
constexpr const char* kOverlayStaging = "/.sbx/workspace";

std::string_view root_reason(profile::RootKind kind) {
  if (kind == profile::RootKind::dir) return "root: dir";
  return kind == profile::RootKind::oci ? "root: oci" : "programs of the host";
}

Result<void> cover_file(Builder& b, Tree& tree, const EtcFile& file, std::string_view reason) {
  const std::string staged = kStaging + file.path;
  SBX_CHECK(tree.make_file(staged, file.content, 0444, reason, ""));
  b.add(Phase::init, BindInside{staged, file.path, kReadOnly}, reason);
  return {};
}

/// An image's own files say where it was built. It has them all, for this (images/unpack.cpp).
Result<void> cover_host_names(Builder& b, Tree& tree) {
  constexpr std::array<std::string_view, 3> kNames{"/etc/hostname", "/etc/hosts",
                                                   "/etc/resolv.conf"};
  for (const EtcFile& file : etc_files(b)) {
    if (!tree.is_foreign(file.path) || std::ranges::find(kNames, file.path) == kNames.end())
      continue;
    SBX_CHECK(cover_file(b, tree, file, "written fresh"));
  }
  return {};
}

/// What stands at the top of a root of the user's own, where a sandbox needs a folder.
Result<void> check_top(const Builder& b, const RootEntry& entry) {
  const bool folder = entry.type == EntryType::directory;
  const bool etc = entry.path == "/etc" && entry.type == EntryType::symlink;
  const bool workspace = entry.path == b.profile.workspace.at && !folder &&
                         b.profile.workspace.mode != profile::WorkspaceMode::none;
  if (!etc && !workspace) return {};
  return std::unexpected(
      Error{.kind = ErrorKind::profile,
            .what = "the root has a " +
                    std::string(entry.type == EntryType::symlink ? "symbolic link" : "file") +
                    " at " + entry.path + ", where the sandbox needs a folder",
            .where = b.origin_of("root").to_string(),
            .hint = etc ? "make it a folder, or remove it: every sandbox then gets one of its own"
                        : "give the workspace another place: workspace.at"});
}

Result<void> plan_root(Builder& b, Tree& tree) {
  const std::string_view reason = root_reason(b.profile.root.kind);
  SBX_CHECK(check_root(b));
  for (const RootEntry& entry : b.facts.root_entries) {
    if (b.profile.root.kind != profile::RootKind::host) SBX_CHECK(check_top(b, entry));
    if (entry.type == EntryType::symlink) {
      SBX_CHECK(tree.make_symlink(entry.path, entry.link, reason));
      continue;
    }
    if (entry.copy) {
      SBX_CHECK(tree.make_copy(entry.path, entry.source, reason, "root"));
      continue;
    }
    if (b.has_own_root()) {
      SBX_CHECK(add_bind(b, tree, source_of(entry), entry.path, kReadOnly, false, reason, "root"));
      continue;
    }
    // Of the host's own folders everybody may enter these, also the id that init has by then.
    SBX_CHECK(
        tree.make_mount_point(entry.path, entry.type == EntryType::directory, reason, "root"));
    b.add(Phase::init, BindTree{entry.source, entry.path, true, kReadOnly}, reason, "root");
    note_processes(b, entry.source, entry.path, false);
    tree.cover_foreign(entry.path);
  }
  for (const EtcFile& file : etc_files(b))
    if (!tree.is_foreign(file.path))
      SBX_CHECK(tree.make_file(file.path, file.content, 0444, "written fresh", ""));
  for (const EtcFile& file : missing_accounts(b))
    if (tree.is_foreign(file.path))
      SBX_CHECK(cover_file(b, tree, file, "the root's own, and a line for the command's user"));
  return b.profile.root.kind == profile::RootKind::oci ? cover_host_names(b, tree) : Result<void>{};
}

bool names_target(const Builder& b, const std::string& target) {
  return std::ranges::any_of(b.profile.mounts, [&](const profile::Mount& mount) {
    return std::visit([&](const auto& what) { return what.target == target; }, mount.what);
  });
}

Result<void> add_tmpfs(Builder& b, Tree& tree, const profile::TmpfsMount& mount, unsigned mode,
                       std::string_view reason, std::string_view key) {
  SBX_CHECK(tree.make_mount_point(mount.target, true, reason, key));
  const MountFlags flags{.read_only = false, .no_exec = !mount.exec};
  b.add(Phase::init, MountTmpfs{mount.target, mount.size, mount.inodes, mode, flags}, reason, key);
  tree.cover_own(mount.target);
  b.writable.push_back({mount.target, true, false});
  return {};
}

/// Part of it is the payload's work, so much that it is ready when init is.
Result<void> plan_proc(Builder& b, Tree& tree) {
  SBX_CHECK(tree.make_mount_point("/proc", true, "process information", ""));
  b.add(Phase::init, MountProc{"/proc"}, "only the sandbox's own processes");
  tree.cover_foreign("/proc");
  b.add(Phase::init, ForbidNamespaces{}, "nested user namespaces open kernel bugs");
  // Not "if access(2) says writable": 0555 says nothing to an owner (hardening, finding 1).
  for (const char* path :
       {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"})
    b.add(Phase::init, ProtectPath{path}, "settings of the host's kernel");
  b.add(Phase::init, LendRoot{}, "it hides what tells about the host meanwhile");
  b.add(Phase::payload, BorrowRoot{}, "init makes the rest meanwhile");
  for (const char* path :
       {"/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/timer_list", "/proc/kallsyms",
        "/proc/interrupts", "/proc/acpi", "/proc/asound", "/proc/scsi", "/proc/sched_debug"})
    b.add(Phase::payload, MaskPath{path, true}, "tells about the host or its kernel");
  b.add(Phase::payload, ReturnRoot{}, "/proc is closed");
  return {};
}

/// What comes next, masks and the seal, may be about /proc. The groups are sent first: the payload
/// takes them as soon as it has given back the root.
void await_payload(Builder& b) {
  plan_joining(b);
  if (b.profile.network.mode != profile::NetworkMode::host)
    b.add(Phase::init, EnterNetwork{}, "/proc/1 must not show the host's");
  b.add(Phase::init, TakeRootBack{}, "/proc must be closed first");
}

Result<void> plan_tools(Builder& b, Tree& tree) {
  for (std::size_t i = 0; i < b.facts.tools.size(); ++i) {
    const ToolInstallation& tool = b.facts.tools[i];
    const std::string key = "tools[" + std::to_string(i) + "]";
    if (!SBX_TRY(tool_is_there(b, i))) continue;
    SBX_CHECK(add_trees(b, tree, tool.trees, "tool " + tool.name, key));
  }
  return {};
}

/// A file that overlayfs copies up keeps its group, and of groups an ordinary user's sandbox has
/// one. Asked of the folder alone: to look at all that is in it would take too long.
void warn_of_group(Builder& b, const SourceFacts& source) {
  if (b.as_root || source.gid == b.facts.egid) return;
  b.plan.warnings.push_back(
      "the group of " + quote(source.path) + " is " + std::to_string(source.gid) +
      ", which the sandbox does not have: files of that group cannot be changed in an overlay "
      "(EOVERFLOW, \"Value too large for defined data type\"); give them to your own: chgrp -R " +
      std::to_string(b.facts.egid) + ' ' + quote(source.path));
}

Result<void> plan_workspace(Builder& b, Tree& tree) {
  const profile::Workspace& workspace = b.profile.workspace;
  if (workspace.mode == profile::WorkspaceMode::none) return {};
  const SourceFacts source = SBX_TRY(workspace_source(b));
  const std::string at = lexical_path("/", workspace.at);  // as the tree has its places
  // An empty folder instead, so that the command still finds its working directory.
  if (leaves_workspace_out(b, source))
    return tree.make_place(at, true, "the workspace, empty", "workspace");
  const bool writable = workspace.mode == profile::WorkspaceMode::rw;
  const bool overlay = workspace.mode == profile::WorkspaceMode::overlay;
  const bool keep = overlay && workspace.keep != profile::Keep::none;
  if (keep) b.plan.keep = KeepChanges{source.path, workspace.keep == profile::Keep::apply};
  if (overlay) warn_of_group(b, source);
  if (overlay)
    SBX_CHECK(add_overlay(b, tree, source, kOverlayStaging, at, keep, "the workspace"));
  else
    SBX_CHECK(add_bind(b, tree, source, at, writable ? kWritable : kReadOnly, true, "the workspace",
                       "workspace"));
  return show_git(b, tree, source);
}

struct PlanMount {
  Builder& b;
  Tree& tree;
  std::string key;

  Result<void> operator()(const profile::BindMount& mount) const {
    const auto source = SBX_TRY(bind_source(b, mount, key));
    if (!source) return {};
    warn_of_place(b, mount, *source, key);
    return add_bind(b, tree, *source, mount.target, mount.writable ? kWritable : kReadOnly, true,
                    "named in the profile", key);
  }
  Result<void> operator()(const profile::CopyMount& mount) const {
    return plan_copy(b, tree, mount, key);
  }
  Result<void> operator()(const profile::TmpfsMount& mount) const {
    const bool shared = mount.target == "/tmp" || mount.target == "/dev/shm";
    return add_tmpfs(b, tree, mount, shared ? 01777 : 0755, "named in the profile", key);
  }
  Result<void> operator()(const profile::FileMount& mount) const {
    const bool scratch = tree.is_scratch(mount.target) && !mount.own;
    if (!scratch && !tree.is_foreign(mount.target) && !tree.is_made_file(mount.target))
      return tree.make_file(mount.target, mount.content, mount.perm, "named in the profile", key);
    // Over a file of a tree that is not ours, or one such as /etc/hosts, and where the payload may
    // write, but not to this: from a place of our own.
    if (scratch)
      SBX_CHECK(tree.make_mount_point(mount.target, false, "named in the profile", key));
    else
      tree.hold_above(mount.target, key);
    const std::string staged = std::string(kStaging) + "/file" + key.substr(key.find('['));
    SBX_CHECK(tree.make_file(staged, mount.content, mount.perm, "named in the profile", key));
    b.add(Phase::init, BindInside{staged, mount.target, kReadOnly}, "named in the profile", key);
    return {};
  }
};

/// Parents before what lies inside them; the profile's order otherwise.
std::vector<std::size_t> mount_order(const std::vector<profile::Mount>& mounts) {
  const auto depth = [&](std::size_t i) {
    return std::visit([](const auto& what) { return std::ranges::count(what.target, '/'); },
                      mounts[i].what);
  };
  std::vector<std::size_t> order(mounts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, depth);
  return order;
}

void plan_artifacts(Builder& b) {
  const profile::Artifacts& wanted = b.profile.artifacts;
  if (wanted.collect.empty()) return;
  b.plan.artifacts = KeepArtifacts{wanted.collect, wanted.max, wanted.max_files, wanted.ttl};
  b.add(Phase::init, HandOverRoot{wanted.collect},
        "files are kept: up to " + format_bytes(wanted.max) + " and " +
            std::to_string(wanted.max_files) + " files, " +
            (wanted.ttl ? "for " + format_duration(*wanted.ttl) : "until they are removed"),
        "artifacts.collect");
}

}  // namespace

Result<bool> tool_is_there(const Builder& b, std::size_t index) {
  const ToolInstallation& tool = b.facts.tools[index];
  if (tool.problem.empty()) return true;
  if (tool.name.ends_with('?')) return false;
  return std::unexpected(
      Error{.kind = ErrorKind::profile,
            .what = tool.problem,
            .where = b.origin_of("tools[" + std::to_string(index) + "]").to_string(),
            .hint = (tool.advice.empty() ? "install it, put it on PATH" : tool.advice) +
                    ", or write `" + tool.name + "?` when it may be missing"});
}

Result<void> plan_mounts(Builder& b) {
  Tree tree(b);
  b.add(Phase::init, MountRoot{kRootSize}, "the new root, made of what is named below", "root");
  SBX_CHECK(plan_devices(b, tree));
  SBX_CHECK(plan_proc(b, tree));  // its masks are made of /dev/null
  SBX_CHECK(plan_root(b, tree));
  if (!names_target(b, "/tmp")) {
    const std::uint64_t size = b.profile.limits.memory ? *b.profile.limits.memory / 2 : kDefaultTmp;
    SBX_CHECK(add_tmpfs(b, tree, {"/tmp", size, kTmpInodes, true}, 01777, "scratch", ""));
  }
  if (!names_target(b, "/dev/shm"))
    SBX_CHECK(add_tmpfs(b, tree, {"/dev/shm", kShmSize, 4096, false}, 01777, "shared memory", ""));
  SBX_CHECK(plan_tools(b, tree));
  SBX_CHECK(plan_gpu(b, tree));
  SBX_CHECK(plan_workspace(b, tree));
  for (const std::size_t i : mount_order(b.profile.mounts))
    SBX_CHECK(std::visit(PlanMount{b, tree, "mounts[" + std::to_string(i) + "]"},
                         b.profile.mounts[i].what));
  SBX_CHECK(plan_secrets(b, tree));
  SBX_CHECK(protect_git(b, tree));  // what is there by then
  await_payload(b);
  SBX_CHECK(plan_masks(b, tree));
  hide_processes(b);
  seal_git(b);
  seal_secrets(b);
  b.add(Phase::init, SealMount{"/", false, kReadOnly}, "nobody adds to the root");
  plan_artifacts(b);
  b.add(Phase::init, PivotRoot{}, "paths mean the new tree from here on");
  return {};
}

}  // namespace sbx::plan
