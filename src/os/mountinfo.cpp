#include "os/mountinfo.hpp"

#include <algorithm>
#include <utility>

#include "base/lexical_path.hpp"
#include "base/take.hpp"

namespace sbx::os {
namespace {

/// Where " - " stands, before what a mount is of. Spaces stand at ten places of a line, and dashes
/// at hardly another one: they are looked for.
std::size_t find_separator(std::string_view line) {
  for (std::size_t at = line.find('-'); at != std::string_view::npos; at = line.find('-', at + 1))
    if (at > 0 && line[at - 1] == ' ' && line.substr(at + 1).starts_with(' ')) return at - 1;
  return std::string_view::npos;
}

}  // namespace

std::string unescaped(std::string_view text) {
  std::string plain;
  const auto octal = [&text](std::size_t at) { return text[at] >= '0' && text[at] <= '7'; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(i + 1) && octal(i + 2) && octal(i + 3)) {
      plain +=
          static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + text[i + 3] - '0');
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

void each_mount(std::string_view mountinfo, std::initializer_list<std::string_view> types,
                const std::function<void(const MountLine&)>& see) {
  while (!mountinfo.empty()) {
    std::string_view line = take(mountinfo, '\n');
    const std::size_t dash = find_separator(line);
    if (dash == std::string_view::npos) continue;
    std::string_view tail = line.substr(dash + 3);
    MountLine mount;
    mount.type = take(tail, ' ');
    if (types.size() > 0 && std::ranges::find(types, mount.type) == types.end()) continue;
    take(tail, ' ');  // the source
    mount.options = tail;
    for (int skipped = 0; skipped < 3; ++skipped) take(line, ' ');  // id, parent, major:minor
    mount.root = take(line, ' ');
    mount.point = take(line, ' ');
    see(mount);
  }
}

std::vector<ProcMount> parse_proc_mounts(std::string_view mountinfo) {
  std::vector<ProcMount> mounts;
  each_mount(mountinfo, {"proc"}, [&mounts](const MountLine& line) {
    mounts.push_back({unescaped(line.root), unescaped(line.point)});
  });
  return mounts;
}

std::vector<std::string> cgroup_mount_points(std::string_view mountinfo) {
  std::vector<std::string> points;
  each_mount(mountinfo, {"cgroup", "cgroup2"},
             [&points](const MountLine& line) { points.push_back(unescaped(line.point)); });
  return points;
}

std::vector<std::string> mounts_below(std::string_view mountinfo, const std::string& folder) {
  std::vector<std::string> found;
  each_mount(mountinfo, {}, [&](const MountLine& line) {
    std::string point = unescaped(line.point);
    if (point != folder && is_below(point, folder)) found.push_back(std::move(point));
  });
  return found;
}

}  // namespace sbx::os
