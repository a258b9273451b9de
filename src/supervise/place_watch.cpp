#include "supervise/place_watch.hpp"

#include <poll.h>

#include <cerrno>
#include <map>

#include "base/text.hpp"

namespace sbx::supervise {
namespace {

std::string path_of(const plan::WatchedPlace& place) { return place.folder + "/" + place.name; }

Error watch_error(const std::string& folder, int error) {
  const bool limit = error == EMFILE || error == ENOSPC;
  return {.kind = ErrorKind::setup,
          .what = "cannot watch " + quote(folder) + " (workspace.git: protect)",
          .hint = limit ? "enlarge sysctl fs.inotify.max_user_instances or max_user_watches"
                        : "it changed while sbx started, or a component of its path is a "
                          "symbolic link now",
          .sys_errno = error,
          .cause = limit ? "this user has used up what the kernel lets him watch" : ""};
}

}  // namespace

std::string came_into_being(const std::string& path) {
  return quote(path) +
         " came into being, which git on the host would obey (workspace.git: protect)";
}

std::string cannot_be_seen(const std::string& path) {
  return "nobody can look for " + quote(path) +
         ", which git on the host would obey, since its folder is closed (workspace.git: protect)";
}

std::string PlaceWatch::text_of(const plan::WatchedPlace& place) {
  if (place.absent) return came_into_being(path_of(place));
  return quote(path_of(place)) +
         " was replaced on the host, which takes its protection away: look at it before git is "
         "used "
         "there (workspace.git: protect)";
}

Result<void> PlaceWatch::start(std::span<const plan::WatchedPlace> places) {
  std::map<std::string, std::size_t> numbers;
  for (const plan::WatchedPlace& place : places) {
    const auto [number, fresh] = numbers.try_emplace(place.folder, numbers.size());
    if (fresh)
      if (const auto added = folders_.add(place.folder); !added)
        return std::unexpected(watch_error(place.folder, added.error().value));
    // It was not there when the plan was made; from here on the watch tells.
    const auto inode = folders_.inode(number->second, place.name);
    if (place.absent && inode)
      return std::unexpected(
          Error{.kind = ErrorKind::setup, .what = came_into_being(path_of(place))});
    places_.push_back({number->second, &place, inode});
  }
  return {};
}

void PlaceWatch::watch(PollSet& set) {
  index_ = folders_.fd() < 0 ? kNotPolled : set.add(folders_.fd(), POLLIN);
}

std::optional<std::string> PlaceWatch::broken(const PollSet& set) {
  if (set.revents(index_) == 0) return std::nullopt;
  std::optional<std::string> text;
  folders_.read([&](std::size_t folder, std::string_view name) {
    for (const Place& place : places_) {
      if (text) return;
      // What counts as well is what is there now: when too much has happened for the kernel to
      // tell (no name), and where file names are alike but for their case.
      const bool here = !name.empty() && place.folder == folder;
      const bool told = (here && place.what->name == name) ||
                        (((here && place.what->absent) || name.empty()) &&
                         folders_.inode(place.folder, place.what->name) != place.inode);
      if (told) text = text_of(*place.what);
    }
  });
  return text;
}

std::vector<PlaceWatch::Removed> PlaceWatch::clean() const {
  std::vector<Removed> removed;
  for (const Place& place : places_) {
    const auto inode = folders_.inode(place.folder, place.what->name);
    if (!place.what->absent || !inode) continue;
    const auto gone = folders_.remove(place.folder, place.what->name);
    removed.push_back({path_of(*place.what), gone ? 0 : gone.error().value, !gone && *inode == 0});
  }
  return removed;
}

}  // namespace sbx::supervise
