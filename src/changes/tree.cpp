#include "changes/tree.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "changes/look.hpp"
#include "os/folder.hpp"

namespace sbx::changes {

void Workspace::forget() {
  folder_.reset();
  path_.clear();
}

SysResult<int> Workspace::open_folder(std::string_view path) {
  // On from where we are, when that is on the way: in a deep tree each step is one component.
  const bool on =
      folder_.valid() &&
      (path == path_ || (path.starts_with(path_) && path.substr(path_.size()).starts_with('/')));
  if (!on) forget();
  while (path_.size() < path.size()) {
    const std::size_t begin = path_.empty() ? 0 : path_.size() + 1;
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string name(path.substr(begin, end - begin));
    auto next = os::open_beneath(folder_.valid() ? folder_.get() : top_, name.c_str(),
                                 O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (!next) {
      forget();
      return std::unexpected(next.error());
    }
    folder_ = std::move(*next);
    path_ = path.substr(0, end);
  }
  return folder_.valid() ? folder_.get() : top_;
}

SysResult<Spot> Workspace::spot(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view folder = slash == std::string_view::npos ? "" : path.substr(0, slash);
  return Spot{SBX_TRY(open_folder(folder)),
              std::string(path.substr(slash == std::string_view::npos ? 0 : slash + 1))};
}

SysResult<Entry> Workspace::look(std::string_view path) {
  const auto place = spot(path);
  if (!place && (place.error().value == ENOENT || place.error().value == ENOTDIR)) return Entry{};
  if (!place) return std::unexpected(place.error());
  return look_at(place->folder, place->name, Side::host);
}

bool Workspace::has_folder(std::string_view path) { return open_folder(path).has_value(); }

}  // namespace sbx::changes
