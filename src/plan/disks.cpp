// What limits.io is about: the disks below the folders that the sandbox shows.
#include <algorithm>

#include "plan/wanted_limits.hpp"

namespace sbx::plan {
namespace {

void note(const SourceFacts& folder, Disks& disks) {
  if (!folder.exists || folder.in_memory) return;
  if (folder.device.empty()) {
    if (disks.unknown.empty()) disks.unknown = folder.path;
  } else if (std::ranges::find(disks.devices, folder.device) == disks.devices.end()) {
    disks.devices.push_back(folder.device);
  }
}

}  // namespace

Disks disks_of(const Builder& b) {
  Disks disks;
  const auto note_source = [&](const std::string& source, const std::string& base, bool writable) {
    const profile::IoLimits& io = b.profile.limits.io;
    if (!writable && !io.read_bps && !io.read_iops) return;
    if (const auto found = b.facts.sources.find(source_key(b.facts, source, base));
        found != b.facts.sources.end())
      note(found->second, disks);
  };
  using profile::WorkspaceMode;
  if (const WorkspaceMode mode = b.profile.workspace.mode; mode != WorkspaceMode::none)
    note_source(b.profile.workspace.source, b.facts.cwd, mode == WorkspaceMode::rw);
  for (const profile::Mount& mount : b.profile.mounts)
    if (const auto* bind = std::get_if<profile::BindMount>(&mount.what))
      note_source(bind->source, bind->base, bind->writable);
  const profile::IoLimits& io = b.profile.limits.io;
  if (io.read_bps || io.read_iops)
    for (const SourceFacts& programs : b.facts.program_disks) note(programs, disks);
  return disks;
}

}  // namespace sbx::plan
