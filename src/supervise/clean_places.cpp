// workspace.git: protect, when the payload has ended: what it has left in git folders of the host
// and must not stay there.
#include "base/text.hpp"
#include "os/git_links.hpp"
#include "supervise/run.hpp"

namespace sbx::supervise {
namespace {

constexpr std::size_t kTold = 10;

void tell_links(const std::string& folder, std::vector<std::string>& warnings) {
  const os::GitLinks links = os::find_git_links(folder, true);
  if (!links.paths.empty())
    warnings.push_back("in " + quote(folder) +
                       " symbolic links were removed, through which git on the host would have "
                       "written: " +
                       printable(join_some(links.paths, kTold), 1000));
  if (!links.left.empty() || !links.whole)
    warnings.push_back(
        quote(folder) + " has to be looked through for symbolic links before git is used" +
        (links.left.empty() ? "" : ": " + printable(join_some(links.left, kTold), 1000)));
}

}  // namespace

void Run::clean_places() {
  for (const PlaceWatch::Removed& place : place_watch_.clean()) {
    if (evidence_.broken_place.empty()) evidence_.broken_place = came_into_being(place.path);
    if (evidence_.killed_for == KilledFor::nothing) evidence_.killed_for = KilledFor::place;
    outcome_.warnings.push_back(
        quote(place.path) + (place.error == 0
                                 ? " was removed: the command had made it"
                                 : " is still there, and has to be removed before git is used: " +
                                       errno_name(place.error)));
  }
  for (const std::string& folder : plan_.supervision.without_links)
    tell_links(folder, outcome_.warnings);
}

}  // namespace sbx::supervise
