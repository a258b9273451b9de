// workspace.git: protect, when the payload has ended: what it has left in git folders of the host
// and must not stay there.
#include "base/text.hpp"
#include "os/git_links.hpp"
#include "supervise/redaction.hpp"
#include "supervise/run.hpp"

namespace sbx::supervise {
namespace {

constexpr std::size_t kTold = 10;

/// Masked before it is cut: half a secret would be known to nobody any more.
std::string shown(const Redactor& redactor, const std::vector<std::string>& paths) {
  return printable(redacted(redactor, join_some(paths, kTold)), 1000);
}

void tell_links(const std::string& folder, Outcome& outcome) {
  const os::GitLinks links = os::find_git_links(folder, true);
  std::vector<std::string>& warnings = outcome.warnings;
  if (!links.paths.empty())
    warnings.push_back("in " + quote(folder) +
                       " symbolic links were removed, through which git on the host would have "
                       "written: " +
                       shown(outcome.redactor, links.paths));
  if (!links.left.empty() || !links.whole)
    warnings.push_back(quote(folder) +
                       " has to be looked through for symbolic links before git is used" +
                       (links.left.empty() ? "" : ": " + shown(outcome.redactor, links.left)));
}

std::string told(const PlaceWatch::Removed& place) {
  if (place.error == 0) return quote(place.path) + " was removed: the command had made it";
  return quote(place.path) +
         (place.hidden ? " may be there, and then has to be removed before git is used: "
                       : " is still there, and has to be removed before git is used: ") +
         errno_name(place.error);
}

}  // namespace

void Run::clean_places() {
  for (const PlaceWatch::Removed& place : place_watch_.clean()) {
    if (evidence_.broken_place.empty())
      evidence_.broken_place =
          place.hidden ? cannot_be_seen(place.path) : came_into_being(place.path);
    if (evidence_.killed_for == KilledFor::nothing) evidence_.killed_for = KilledFor::place;
    outcome_.warnings.push_back(told(place));
  }
  for (const std::string& folder : plan_.supervision.without_links) tell_links(folder, outcome_);
}

}  // namespace sbx::supervise
