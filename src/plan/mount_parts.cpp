#include "plan/mount_parts.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "plan/processes.hpp"

namespace sbx::plan {
namespace {

/// Is this tree of root's run to be id-mapped? Not where its file system is known to refuse and the
/// profile accepts that. Where nobody accepts it nobody has tried either: the step fails.
bool is_mapped(Builder& b, const SourceFacts& source, std::string_view key) {
  const auto refused = b.facts.no_idmap.find(source.path);
  if (!b.degrades("idmap") || refused == b.facts.no_idmap.end()) return true;
  std::vector<std::string>& degraded = b.plan.isolation.degraded;
  if (std::ranges::find(degraded, "idmap") == degraded.end()) degraded.emplace_back("idmap");
  const auto& [error, mount] = refused->second;
  const std::string refusing =
      mount.empty() ? "its file system" : "what is mounted in it, at " + quote(mount) + ",";
  b.plan.warnings.push_back("owners in " + quote(source.path) + " (" + b.written_at(key) +
                            ") show as they are on disk: " + refusing + " cannot be id-mapped (" +
                            errno_name(error) + ")");
  return false;
}

/// A capability that a file is given holds for whom the giver's id 0 is: through an id-mapped tree
/// of root's that is root, and with it everybody on the host who executes the file. Like a
/// set-user-id bit, which the filter refuses; but it sees no name of an attribute.
Result<void> check_file_capabilities(const Builder& b, const SourceFacts& source,
                                     std::string_view key) {
  const std::vector<std::string>& kept = b.profile.capabilities;
  if (b.inner_uid != 0 || source.uid != 0 || std::ranges::find(kept, "cap_setfcap") == kept.end())
    return {};
  return std::unexpected(
      Error{.kind = ErrorKind::profile,
            .what = "with setfcap and the user id 0 the command could give files in " +
                    quote(source.path) + " (" + b.written_at(key) +
                    "), which are root's, capabilities that hold on the host",
            .where = b.origin_of("capabilities").to_string(),
            .hint = "take setfcap out, give the command another id (--set user.uid=1000), or show "
                    "that folder read-only or as an overlay"});
}

}  // namespace

Result<void> add_bind(Builder& b, Tree& tree, const SourceFacts& source, const std::string& target,
                      const MountFlags& flags, bool idmap, std::string_view reason,
                      std::string_view key) {
  const bool folder = source.type == EntryType::directory;
  SBX_CHECK(tree.make_mount_point(target, folder, reason, key));
  if (b.as_root) {
    const bool mapped = idmap && is_mapped(b, source, key);
    if (mapped && !flags.read_only) SBX_CHECK(check_file_capabilities(b, source, key));
    b.add(Phase::attend, DetachTree{source.path, true, mapped, source.uid, source.gid}, reason,
          key);
    b.add(Phase::init, AttachTree{target, flags}, reason, key);
  } else {
    b.add(Phase::init, BindTree{source.path, target, true, flags}, reason, key);
  }
  note_processes(b, source.path, target, !flags.read_only);
  tree.cover_foreign(target, !flags.read_only);
  if (!flags.read_only) b.writable.push_back({target, true, false});
  return {};
}

SourceFacts source_of(const RootEntry& entry) { return {.type = entry.type, .path = entry.source}; }

Result<void> add_trees(Builder& b, Tree& tree, const std::vector<RootEntry>& entries,
                       const std::string& reason, const std::string& key) {
  constexpr MountFlags kReadOnly{};
  for (const RootEntry& entry : entries) {
    if (tree.is_foreign(entry.path)) continue;
    if (entry.type == EntryType::symlink)
      SBX_CHECK(tree.make_symlink(entry.path, entry.link, reason));
    else
      SBX_CHECK(add_bind(b, tree, source_of(entry), entry.path, kReadOnly, false, reason, key));
  }
  return {};
}

Result<void> add_overlay(Builder& b, Tree& tree, const SourceFacts& source,
                         const std::string& staging, const std::string& at, bool keep,
                         std::string_view reason) {
  // Both layers in one mount, which takes them away together: to unmount waits for an RCU grace
  // period (namespace_unlock(), fs/namespace.c).
  constexpr std::string_view kLayers = "layers of the overlay";
  SBX_CHECK(tree.make_mount_point(staging, true, kLayers, "workspace"));
  // Names cost memory too, also where no cgroup counts it: one for each KiB, as many as files of
  // ordinary trees need.
  const std::uint64_t size = b.profile.workspace.size;
  b.add(Phase::init, MountTmpfs{staging, size, size >> 10U, 0700, MountFlags{.read_only = false}},
        kLayers, "workspace.size");
  tree.cover_own(staging);
  SBX_CHECK(tree.make_mount_point(staging + "/lower", true, kLayers, "workspace"));
  const std::size_t writable = b.writable.size();
  SBX_CHECK(add_bind(b, tree, source, staging + "/lower", MountFlags{}, true, "the layer below",
                     "workspace"));
  b.writable.resize(writable);
  SBX_CHECK(tree.make_mount_point(at, true, reason, "workspace"));
  b.add(
      Phase::init,
      MountOverlay{staging, at, size, MountFlags{.read_only = false}, keep, b.degrades("overlay")},
      keep ? "changes stay in memory until the end, and are kept then"
           : "changes stay in memory and go at the end",
      keep ? "workspace.keep" : "workspace.mode");
  // A folder of overlayfs does not move with what lies below; one of a copy does.
  tree.cover_foreign(at, keep && b.degrades("overlay"));
  b.writable.push_back({at, true, false});
  return {};
}

Result<void> plan_copy(Builder& b, Tree& tree, const profile::CopyMount& mount,
                       const std::string& key) {
  const std::string_view above = parent_path(mount.target);
  if (!tree.is_scratch(mount.target)) {
    std::string hint = "choose a place below /tmp";
    // A tmpfs over what is there already would hide it.
    if (above == "/")
      hint += ", or in a folder that can be written to: --tmpfs /DIR";
    else if (tree.is_free(above))
      hint += ", or make one that can be written to: --tmpfs " + std::string(above);
    return std::unexpected(Error{
        .kind = ErrorKind::profile,
        .what = "a copy cannot be put at " + quote(mount.target) + ", which is not in scratch",
        .where = b.origin_of(key).to_string(),
        .hint = std::move(hint)});
  }
  constexpr std::string_view kReason = "a copy of its own";
  const auto source =
      SBX_TRY(bind_source(b, {mount.source, mount.base, mount.target, false, mount.optional}, key));
  if (!source) return {};
  if (source->special)
    return std::unexpected(
        Error{.kind = ErrorKind::profile,
              .what = "cannot copy " + quote(mount.source) + ": it is a pipe, a socket or a device",
              .where = b.origin_of(key).to_string(),
              .hint = "name a file or a folder, or take the entry out"});
  const std::string staging = "/.sbx/copy" + key.substr(key.find('['));
  const bool folder = source->type == EntryType::directory;
  SBX_CHECK(add_bind(b, tree, *source, staging, MountFlags{}, true, kReason, key));
  SBX_CHECK(tree.make_place(mount.target, folder, kReason, key));
  b.add(Phase::init, CopyIn{staging, mount.target, folder, ".links-" + b.plan.run_id}, kReason,
        key);
  return {};
}

}  // namespace sbx::plan
