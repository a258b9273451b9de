// What of the caller's files a profile means: the facts of each source, or why it cannot be shown.
#include "base/lexical_path.hpp"
#include "base/text.hpp"
#include "plan/builder.hpp"
#include "plan/processes.hpp"

namespace sbx::plan {
namespace {

Error source_error(const Builder& b, const std::string& name, const SourceFacts& source,
                   const std::string& key) {
  if (source.refused != 0)
    return {.kind = ErrorKind::host,
            .what = "cannot show " + quote(name) + " in the sandbox: " + source.problem,
            .where = b.origin_of(key).to_string(),
            .hint = "openat2(2) needs Linux 5.6, and that nothing around sbx forbids it",
            .sys_errno = source.refused,
            .feature = Feature::system_calls};
  const std::string& problem = source.problem.empty() ? "it does not exist" : source.problem;
  std::string hint = "name an existing file or folder, or take the entry out";
  if (shows_processes(b.facts, source.path))
    hint =
        "the sandbox has its own at /proc; take the entry out, or name a file of the host's such "
        "as /proc/cpuinfo";
  else if (is_of_cgroups(b.facts, source.path))
    hint = "show it read-only, or take the entry out";
  return {.kind = ErrorKind::profile,
          .what = "cannot show " + quote(name) + " in the sandbox: " + problem,
          .where = b.origin_of(key).to_string(),
          .hint = std::move(hint)};
}

const SourceFacts* known(const Builder& b, const std::string& name, const std::string& base) {
  const auto found = b.facts.sources.find(source_key(b.facts, name, base));
  return found == b.facts.sources.end() ? nullptr : &found->second;
}

const SourceFacts* existing(const SourceFacts* source) {
  return source == nullptr || !source->exists ? nullptr : source;
}

SourceFacts source_facts(const Builder& b, const std::string& name, const std::string& base,
                         bool writable) {
  const SourceFacts* const found = known(b, name, base);
  SourceFacts source = found == nullptr ? SourceFacts{} : *found;
  if (shows_processes(b.facts, source.path)) source.problem = "it shows the processes of the host";
  if (writable && is_of_cgroups(b.facts, source.path))
    source.problem =
        "it is one of the host's cgroups, and who writes there kills processes and lifts limits";
  return source;
}

}  // namespace

Result<SourceFacts> workspace_source(const Builder& b) {
  const std::string& name = b.profile.workspace.source;
  const bool writable = b.profile.workspace.mode == profile::WorkspaceMode::rw;
  SourceFacts source = source_facts(b, name, b.facts.cwd, writable);
  if (source.problem.empty() && source.exists && source.type != EntryType::directory)
    source.problem = "a workspace is a folder";
  if (source.problem.empty() && source.exists) return source;
  Error error = source_error(b, name, source, "workspace.source");
  if (!b.profile.workspace.named && source.refused == 0)  // there is no entry to take out
    error.hint =
        "change to a folder that you may read, or say --workspace DIR, or --workspace none";
  const std::string last = name.substr(name.rfind('/') + 1);
  if (!source.exists && (last == "ro" || last == "rw" || last == "overlay"))
    error.hint = "a mode stands behind the folder: --workspace .:" + last;
  return std::unexpected(std::move(error));
}

const SourceFacts* facts_of(const Builder& b, const profile::BindMount& mount) {
  return existing(known(b, mount.source, mount.base));
}

bool is_too_much(const Builder& b, const std::string& path) {
  return is_home_or_above(b.facts, path) || (b.shares_host && is_below(b.facts.temporary, path));
}

const SourceFacts* shown_workspace(const Builder& b) {
  const profile::Workspace& workspace = b.profile.workspace;
  if (workspace.mode == profile::WorkspaceMode::none) return nullptr;
  const SourceFacts* const folder = existing(known(b, workspace.source, b.facts.cwd));
  const bool left_out = folder != nullptr && !workspace.named && is_too_much(b, folder->path);
  return left_out ? nullptr : folder;
}

bool leaves_workspace_out(Builder& b, const SourceFacts& source) {
  if (b.profile.workspace.named || !is_too_much(b, source.path)) return false;
  b.plan.warnings.push_back("the current directory " + quote(source.path) +
                            " is not shown: it holds more than a project (the home directory, "
                            "temporary files, everything); name a folder "
                            "with --workspace DIR");
  return true;
}

void warn_of_place(Builder& b, const profile::BindMount& mount, const SourceFacts& source,
                   const std::string& key) {
  const SourceFacts* const workspace = shown_workspace(b);
  const bool by_place = mount.target == lexical_path(mount.base, mount.source);
  if (!mount.writable || mount.source.starts_with('/') || !by_place || workspace == nullptr ||
      b.profile.workspace.mode == profile::WorkspaceMode::rw ||
      !is_below(source.path, workspace->path))
    return;
  const std::string at = lexical_path("/", b.profile.workspace.at);
  const std::string inside = at + source.path.substr(workspace->path.size());
  if (inside == mount.target) return;
  const std::string name = quote(mount.source);
  b.plan.warnings.push_back(
      name + " (" + b.written_at(key) + ") can be written to at " + quote(mount.target) +
      ", and not at " + quote(inside) + ": for that, write " +
      (inside == at ? "--workspace " + name + ":rw" : "--rw " + name + ":" + quote(inside)));
}

Result<std::optional<SourceFacts>> bind_source(const Builder& b, const profile::BindMount& mount,
                                               const std::string& key) {
  SourceFacts source = source_facts(b, mount.source, mount.base, mount.writable);
  if (source.problem.empty() && !source.exists && mount.optional) return std::nullopt;
  if (!source.problem.empty() || !source.exists)
    return std::unexpected(source_error(b, mount.source, source, key));
  return source;
}

}  // namespace sbx::plan
