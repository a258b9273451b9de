#include "os/git_places.hpp"

#include <algorithm>

#include "base/lexical_path.hpp"

namespace sbx::os {

bool GitPlaces::covers(const std::string& path) const {
  return std::ranges::any_of(
      roots_, [&](const std::string& root) { return path != root && is_below(path, root); });
}

bool GitPlaces::is_root(const std::string& path) const {
  return std::ranges::find(roots_, path) != roots_.end();
}

void GitPlaces::keep(const std::string& path, GitKeep what, bool watched) {
  if (!covers(path)) return;
  const auto [place, fresh] = places_.try_emplace(path, GitPlace{path, what, watched});
  // A folder that is held may be locked as well, never the other way round.
  if (!fresh && place->second.keep == GitKeep::held) place->second.keep = what;
  if (fresh) keep(path.substr(0, path.rfind('/')), GitKeep::held, true);
}

std::vector<GitPlace> GitPlaces::list() const {
  std::vector<GitPlace> places;
  places.reserve(places_.size());
  for (const auto& [path, place] : places_) places.push_back(place);
  return places;
}

}  // namespace sbx::os
