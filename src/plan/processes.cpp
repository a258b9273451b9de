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

/// Calls `see` with each place in `source` where processes would be seen or steered, and which.
template <class See>
void each_shown(const HostFacts& facts, const std::string& source, bool writable, See see) {
  const auto lies_in = [&source](const std::string& point) {
    return point != source && is_below(point, source);
  };
  for (const ProcMount& mount : facts.proc_mounts)
    if (lies_in(mount.point) && is_of_processes(in_procfs(mount, mount.point)))
      see(mount.point, "the processes of the host");
  if (!writable) return;
  for (const std::string& point : facts.cgroup_mounts)
    if (lies_in(point)) see(point, "the host's cgroups, which could be written to");
}

}  // namespace

bool shows_processes(const HostFacts& facts, std::string_view path) {
  return std::ranges::any_of(facts.proc_mounts, [&](const ProcMount& mount) {
    return is_below(path, mount.point) && is_of_processes(in_procfs(mount, path));
  });
}

bool is_of_cgroups(const HostFacts& facts, std::string_view path) {
  return std::ranges::any_of(facts.cgroup_mounts,
                             [path](const auto& point) { return is_below(path, point); });
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

std::optional<ShownPlace> shown_processes(const HostFacts& facts, const std::string& source,
                                          bool writable) {
  std::optional<ShownPlace> first;
  each_shown(facts, source, writable, [&first](const std::string& point, std::string_view what) {
    if (!first) first.emplace(point, what);
  });
  return first;
}

void note_processes(Builder& b, const std::string& source, const std::string& target,
                    bool writable) {
  each_shown(b.facts, source, writable, [&](const std::string& point, std::string_view what) {
    std::string place = target + (source == "/" ? point : point.substr(source.size()));
    // What is mounted in what is covered is not there any more.
    const bool known = std::ranges::any_of(
        b.processes, [&place](const auto& other) { return is_below(place, other.first); });
    if (!known) b.processes.emplace_back(std::move(place), what);
  });
}

void hide_processes(Builder& b) {
  for (auto& [place, what] : b.processes)
    b.add(Phase::init, MaskPath{.path = std::move(place), .of_others = true}, what);
}

}  // namespace sbx::plan
