#include "plan/processes.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace sbx::plan {
namespace {

/// `path` as the procfs has it, which shows `mount.root` at `mount.point`.
std::string in_procfs(const ProcMount& mount, std::string_view path) {
  const std::string_view below = path.substr(mount.point.size());
  return mount.root == "/" ? std::string(below) : mount.root + std::string(below);
}

/// "", "/1", "/1/status".
bool is_of_processes(std::string_view path) {
  return path.empty() || (path.size() > 1 && is_digit(path[1]));
}

}  // namespace

bool shows_processes(const HostFacts& facts, std::string_view path) {
  return std::ranges::any_of(facts.proc_mounts, [&](const ProcMount& mount) {
    return is_below(path, mount.point) && is_of_processes(in_procfs(mount, path));
  });
}

Result<void> check_root(const Builder& b) {
  const bool shows = std::ranges::any_of(b.facts.root_entries, [&](const RootEntry& entry) {
    return shows_processes(b.facts, entry.source);
  });
  if (!shows) return {};
  return std::unexpected(
      Error{.kind = ErrorKind::profile,
            .what = "the root folder shows the processes of the host",
            .where = b.origin_of("root").to_string(),
            .hint = "name a folder that holds a root file system; each sandbox mounts a /proc of "
                    "its own in it"});
}

void note_processes(Builder& b, const std::string& source, const std::string& target) {
  for (const ProcMount& mount : b.facts.proc_mounts) {
    if (mount.point == source || !is_below(mount.point, source)) continue;
    if (!is_of_processes(in_procfs(mount, mount.point))) continue;
    const std::string place =
        target + (source == "/" ? mount.point : mount.point.substr(source.size()));
    if (std::ranges::find(b.processes, place) == b.processes.end()) b.processes.push_back(place);
  }
}

void hide_processes(Builder& b) {
  for (const std::string& place : b.processes)
    b.add(Phase::init, MaskPath{.path = place, .of_others = true}, "the processes of the host");
}

}  // namespace sbx::plan
