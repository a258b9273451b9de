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

Origin Builder::writer_of(std::string_view key) const {
  const auto& all = profile.origins;
  for (std::string_view at = key; !at.empty();) {
    if (const auto found = all.find(at); found != all.end()) {
      if (at.size() == key.size()) return found->second;
      // A key that has others below it says where those were written, and not this one.
      const std::string inside = std::string(at) + ".";
      const auto next = all.lower_bound(inside);
      return next != all.end() && next->first.starts_with(inside) ? Origin{} : found->second;
    }
    const std::size_t end = at.find_last_of(".[");
    at = end == std::string_view::npos ? std::string_view{} : at.substr(0, end);
  }
  return {};
}

Step& Builder::append(Phase phase, std::string_view reason, std::string_view key) {
  if (key != known_key) {
    known_writer = writer_of(key);
    known_key = key;
  }
  Step& step = plan.steps.emplace_back(phase);
  step.reason = reason;
  if (!known_writer.file.empty()) step.origin = known_writer;
  return step;
}

std::string Builder::written_at(std::string_view key) const {
  const Origin origin = writer_of(key);
  return origin.file.empty() ? "the default" : origin.to_string();
}

}  // namespace sbx::plan
