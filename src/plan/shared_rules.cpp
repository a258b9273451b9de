// What of the host's files a run without namespaces may use: the same as is shown in a root of its
// own, where it really is.
#include <array>
#include <utility>

#include "plan/devices.hpp"
#include "plan/shared_host.hpp"

namespace sbx::plan {
namespace {

/// What a fresh /proc would show of the host as well; of processes only the command's own.
constexpr std::array kProc{"/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo",
                           "/proc/stat",    "/proc/sys",         "/proc/uptime",  "/proc/version"};
/// Of the command's own entry there: not the whole folder, in which net, mounts and cgroup tell of
/// the host.
constexpr std::array kOwn{
    "auxv", "cmdline", "comm",          "environ", "fd",           "fdinfo", "io",    "limits",
    "maps", "mem",     "oom_score_adj", "smaps",   "smaps_rollup", "stat",   "statm", "status"};
constexpr std::array kNodes{"null", "zero", "full", "random", "urandom"};

LandlockRule readable(const std::string& path) { return {.path = path}; }
LandlockRule writable(const std::string& path) { return {.path = path, .writable = true}; }
LandlockRule device(const std::string& path) { return {.path = path, .device = true}; }
LandlockRule if_there(LandlockRule rule) {
  rule.optional = true;
  return rule;
}
/// The profile's own, so that a question or an error about it leads there.
LandlockRule asked_for(const Builder& b, std::string key, LandlockRule rule) {
  rule.origin = b.writer_of(key);
  rule.key = std::move(key);
  return rule;
}

void add_host(const Builder& b, std::vector<LandlockRule>& rules) {
  for (const RootEntry& entry : b.facts.root_entries)
    if (entry.type != EntryType::symlink) rules.push_back(readable(entry.source));
  rules.push_back(if_there(readable("/etc/nsswitch.conf")));
  if (b.profile.network.mode == profile::NetworkMode::host)
    for (const char* file : {"/etc/hosts", "/etc/resolv.conf"})
      rules.push_back(if_there(readable(file)));
  for (const char* file : kProc) rules.push_back(if_there(readable(file)));
  // Opened by the one it is about.
  for (const char* file : kOwn)
    rules.push_back(if_there(device(std::string("/proc/self/") + file)));
  for (const char* node : kNodes) rules.push_back(device(std::string("/dev/") + node));
  if (b.plan.supervision.tty) rules.push_back(device("/dev/tty"));
}

Result<void> add_devices(const Builder& b, std::vector<LandlockRule>& rules) {
  for (const Node& node : SBX_TRY(named_nodes(b)))
    rules.push_back(asked_for(b, "devices", device(node.path)));
  if (!b.facts.gpu) return {};
  for (const RootEntry& entry : b.facts.gpu->trees)
    if (entry.type != EntryType::symlink) rules.push_back(readable(entry.source));
  return {};
}

Result<void> add_tools(const Builder& b, std::vector<LandlockRule>& rules) {
  for (std::size_t i = 0; i < b.facts.tools.size(); ++i) {
    if (!SBX_TRY(tool_is_there(b, i))) continue;
    for (const RootEntry& entry : b.facts.tools[i].trees)
      if (entry.type != EntryType::symlink)
        rules.push_back(asked_for(b, "tools[" + std::to_string(i) + "]", readable(entry.source)));
  }
  return {};
}

/// The folder of the workspace; empty: there is none to be used.
Result<std::string> add_workspace(Builder& b, std::vector<LandlockRule>& rules) {
  const profile::Workspace& workspace = b.profile.workspace;
  if (workspace.mode == profile::WorkspaceMode::none) return std::string();
  const SourceFacts source = SBX_TRY(workspace_source(b));
  if (leaves_workspace_out(b, source)) return std::string();
  const bool writes = workspace.mode == profile::WorkspaceMode::rw;
  rules.push_back(
      asked_for(b, "workspace.source", writes ? writable(source.path) : readable(source.path)));
  return source.path;
}

Result<void> add_mounts(const Builder& b, std::vector<LandlockRule>& rules) {
  for (std::size_t i = 0; i < b.profile.mounts.size(); ++i) {
    const auto* const bind = std::get_if<profile::BindMount>(&b.profile.mounts[i].what);
    if (bind == nullptr) continue;
    std::string key = "mounts[" + std::to_string(i) + "]";
    const auto source = SBX_TRY(bind_source(b, *bind, key));
    if (!source) continue;
    rules.push_back(asked_for(b, std::move(key),
                              bind->writable ? writable(source->path) : readable(source->path)));
  }
  return {};
}

/// A place of the sandbox's view as the host has it.
std::string host_place(const Builder& b, const std::string& path, const std::string& workspace) {
  const std::string& at = b.profile.workspace.at;
  if (workspace.empty() || !is_below(path, at)) return path;
  return workspace + path.substr(at.size());
}

}  // namespace

Result<SharedFiles> shared_files(Builder& b) {
  SharedFiles files;
  add_host(b, files.rules);
  files.rules.push_back(writable(scratch_path(b)));
  SBX_CHECK(add_devices(b, files.rules));
  SBX_CHECK(add_tools(b, files.rules));
  const std::string workspace = SBX_TRY(add_workspace(b, files.rules));
  SBX_CHECK(add_mounts(b, files.rules));
  files.folder = workspace.empty() ? scratch_path(b) : workspace;
  if (b.profile.workdir) files.folder = host_place(b, *b.profile.workdir, workspace);
  return files;
}

}  // namespace sbx::plan
