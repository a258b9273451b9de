#include "plan/builder.hpp"

#include <algorithm>

namespace sbx::plan {

bool Builder::degrades(std::string_view control) const {
  return std::ranges::find(profile.degrade, control) != profile.degrade.end();
}

Origin origin_of(const profile::Profile& profile, std::string_view key) {
  while (!key.empty()) {
    if (const auto found = profile.origins.find(key); found != profile.origins.end())
      return found->second;
    const std::size_t dot = key.find_last_of(".[");
    if (dot == std::string_view::npos) break;
    key = key.substr(0, dot);
  }
  return {};
}

std::string Builder::written_at(std::string_view key) const {
  const Origin origin = origin_of(key);
  return origin.file.empty() ? "the default" : origin.to_string();
}

bool is_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || path[folder.size()] == '/';
}

}  // namespace sbx::plan
