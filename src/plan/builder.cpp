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
  const auto& all = profile.origins;
  if (origin.file.empty()) return "the default";
  if (all.contains(key)) return origin.to_string();
  // A key above that has others below it says where those were written, and not this one.
  for (std::string_view above = key; above.contains('.');) {
    above = above.substr(0, above.find_last_of('.'));
    const std::string inside = std::string(above) + ".";
    const auto next = all.lower_bound(inside);
    if (next != all.end() && next->first.starts_with(inside)) return "the default";
  }
  return origin.to_string();
}

}  // namespace sbx::plan
