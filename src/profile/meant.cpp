#include "profile/meant.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace sbx::profile {
namespace {

/// What docker, compose, systemd, bubblewrap and CI services call what has another name here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 43> kWordsOfOthers{{
    {"net", "network"},
    {"networks", "network"},
    {"networking", "network"},
    {"ports", "publish"},
    {"volumes", "mounts"},
    {"binds", "mounts"},
    {"filesystem", "mounts"},
    {"tmpfs", "mounts"},
    {"ro", "mounts"},
    {"rw", "mounts"},
    {"allowedDomains", "allow"},
    {"allowed_domains", "allow"},
    {"domains", "allow"},
    {"deniedDomains", "deny"},
    {"denied_domains", "deny"},
    {"denyRead", "mask"},
    {"dest", "at"},
    {"environment", "env"},
    {"include", "extends"},
    {"inherits", "extends"},
    {"image", "root"},
    {"rootfs", "root"},
    {"cmd", "command"},
    {"entrypoint", "command"},
    {"cwd", "workdir"},
    {"working_dir", "workdir"},
    {"cap_add", "capabilities"},
    {"caps", "capabilities"},
    {"syscalls", "seccomp"},
    {"resources", "limits"},
    {"mem", "memory"},
    {"mem_limit", "memory"},
    {"timeout", "wall"},
    {"cpu_time", "cpu"},
    {"processes", "pids"},
    {"stop_grace_period", "grace"},
    {"target", "at"},
    {"destination", "at"},
    {"dst", "at"},
    {"to", "at"},
    {"path", "source"},
    {"dir", "source"},
    {"src", "source"},
}};

std::string_view word_of_others(std::string_view name) {
  const auto* const found = std::ranges::find(
      kWordsOfOthers, name, &std::pair<std::string_view, std::string_view>::first);
  return found == kWordsOfOthers.end() ? std::string_view{} : found->second;
}

void collect_paths(std::span<const Key> keys, const std::string& prefix,
                   std::vector<std::string>& paths) {
  for (const Key& key : keys) {
    if (!prefix.empty()) paths.push_back(prefix + std::string(key.name));
    const std::string below = prefix + std::string(key.name) + '.';
    if (const auto* section = std::get_if<SectionSlot>(&key.slot))
      collect_paths(section->keys, below, paths);
    if (below == "network.") collect_paths(network_keys(), below, paths);
  }
}

}  // namespace

std::vector<std::string_view> names_of(std::span<const Key> keys) {
  std::vector<std::string_view> names;
  for (const Key& key : keys) names.push_back(key.name);
  return names;
}

std::string find_habit(std::string_view path, std::string_view name) {
  if (name == "<<")
    return "merge keys are YAML 1.1; use `extends`, or an alias for the whole value";
  if (path.empty() && name == "services")
    return "a compose file is no profile: each service is a run of its own, whose root, command, "
           "env, mounts, network and limits are keys at the top; sbx profiles show default is one "
           "to begin with";
  if (path == "network" && name == "mode")
    return "a mode stands alone, as in `network: none` and `network: host`; a map is a network "
           "with a list";
  constexpr std::array<std::string_view, 2> kOfEnv{"pass", "set"};
  if (path == "env" && nearest_name(name, kOfEnv).empty())
    return "variables with values stand below `set`: env: {set: {" + printable(name, 60) +
           ": ...}}";
  return "";
}

std::string find_meant(std::string_view name, std::span<const Key> keys, bool top) {
  std::vector<std::string> paths;
  collect_paths(profile_keys(), "", paths);
  std::vector<std::string_view> names;
  names.reserve(paths.size());
  for (const std::string& path : paths)
    names.push_back(std::string_view(path).substr(path.rfind('.') + 1));
  const auto path_of = [&](std::string_view key) {
    return paths[static_cast<std::size_t>(std::ranges::find(names, key) - names.begin())];
  };
  // A key that is written right is at the wrong place, whatever resembles it here.
  const bool telling = name.size() >= 4;
  const bool misplaced = std::ranges::find(names, name) != names.end();
  if (misplaced && (top || telling)) return path_of(name);
  if (const std::string_view ours = word_of_others(name); !ours.empty()) {
    if (std::ranges::find(keys, ours, &Key::name) != keys.end()) return std::string(ours);
    if (top && std::ranges::find(names, ours) != names.end()) return path_of(ours);
  }
  const std::string_view here = nearest_name(name, names_of(keys));
  if (!here.empty()) return std::string(here);
  const std::string_view near = telling ? nearest_name(name, names) : std::string_view{};
  return near.empty() ? "" : path_of(near);
}

}  // namespace sbx::profile
