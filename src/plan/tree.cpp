#include "plan/tree.hpp"

#include <algorithm>

namespace sbx::plan {

std::string_view parent_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? "/" : path.substr(0, slash);
}

Tree::Tree(Builder& builder) : builder_(builder) {
  constexpr std::size_t kUsualPlaces = 128;
  places_.reserve(kUsualPlaces);
  put("/", Kind::own_root);
}

std::optional<Tree::Kind> Tree::kind_of(std::string_view path) const {
  const auto found = places_.find(path);
  return found == places_.end() ? std::nullopt : std::optional(found->second.kind);
}

void Tree::put(std::string_view path, Kind kind) {
  // A parent that is nobody's here is a folder of somebody else's tree.
  if (const auto parent = places_.find(parent_path(path)); parent != places_.end())
    parent->second.parent = true;
  places_[std::string(path)].kind = kind;
}

Tree::Kind Tree::root_of(std::string_view path) const {
  for (;; path = parent_path(path)) {
    const std::optional<Kind> kind = kind_of(path);
    if (kind && is_root(*kind)) return *kind;
    if (path == "/") return Kind::own_root;
  }
}

bool Tree::is_foreign(std::string_view path) const { return root_of(path) != Kind::own_root; }

std::vector<std::string> Tree::lasting_at(std::string_view path) const {
  std::vector<std::string> roots;
  for (const auto& [at, place] : places_)
    if (place.kind == Kind::lasting_root && (is_below(at, path) || is_below(path, at)))
      roots.push_back(at);
  std::ranges::sort(roots);
  return roots;
}

bool Tree::is_scratch(std::string_view path) const {
  while (path != "/") {
    path = parent_path(path);
    const std::optional<Kind> kind = kind_of(path);
    if (kind == Kind::foreign_root || kind == Kind::lasting_root) return false;
    if (kind == Kind::own_root) return path != "/";  // which is sealed
  }
  return false;
}

Result<void> Tree::make_parents(const std::string& path, std::string_view reason,
                                std::string_view key) {
  const std::string parent(parent_path(path));
  if (parent == "/") return {};
  if (const std::optional<Kind> kind = kind_of(parent)) {
    switch (*kind) {
      case Kind::folder:
      case Kind::own_root:
      case Kind::foreign_root:
      case Kind::lasting_root:
        return {};
      case Kind::symlink:
      case Kind::file:
        return std::unexpected(
            Error{.kind = ErrorKind::profile,
                  .what = path + " cannot be a mount point: " + parent +
                          (*kind == Kind::symlink ? " is a symbolic link" : " is a file"),
                  .where = builder_.origin_of(key).to_string(),
                  .hint = "write the path that the link leads to"});
    }
  }
  if (is_foreign(parent)) return {};
  SBX_CHECK(make_parents(parent, reason, key));
  builder_.add(Phase::init, MakeDir{parent, 0755}, reason, key);
  put(parent, Kind::folder);
  return {};
}

Result<void> Tree::make_mount_point(const std::string& target, bool folder, std::string_view reason,
                                    std::string_view key) {
  SBX_CHECK(make_place(target, folder, reason, key));
  hold_above(target, key);
  return {};
}

Result<void> Tree::make_place(const std::string& target, bool folder, std::string_view reason,
                              std::string_view key) {
  if (const std::optional<Kind> kind = kind_of(target); kind && *kind != Kind::symlink) {
    const bool is_file = *kind == Kind::file;
    if (is_file != folder) return {};
  }
  if (is_foreign(target)) return {};
  if (kind_of(target))
    return std::unexpected(Error{.kind = ErrorKind::profile,
                                 .what = "something else is already at " + target,
                                 .where = builder_.origin_of(key).to_string(),
                                 .hint = "choose another place inside the sandbox"});
  SBX_CHECK(make_parents(target, reason, key));
  if (folder) {
    builder_.add(Phase::init, MakeDir{target, 0755}, reason, key);
  } else {
    builder_.add(Phase::init, WriteFile{target, "", 0444}, reason, key);
  }
  put(target, folder ? Kind::folder : Kind::file);
  return {};
}

void Tree::cover(const std::string& target, Kind kind) {
  // What was made below is hidden now.
  const auto found = places_.find(target);
  if (found == places_.end() || found->second.parent)
    std::erase_if(places_, [&](const auto& place) { return is_below(place.first, target); });
  put(target, kind);
}

void Tree::cover_foreign(const std::string& target, bool lasting) {
  cover(target, lasting ? Kind::lasting_root : Kind::foreign_root);
}
void Tree::cover_own(const std::string& target) { cover(target, Kind::own_root); }

void Tree::hold(const std::string& path, bool optional, std::string_view reason,
                std::string_view key) {
  if (const auto kind = kind_of(path); kind && is_root(*kind)) return;
  builder_.add(Phase::init, ProtectPath{path, true, optional}, reason, key);
  put(path, root_of(path));  // and what is mounted in it stays
}

void Tree::hold_above(std::string_view place, std::string_view key) {
  const std::string folder(parent_path(place));
  const std::optional<Kind> kind = kind_of(folder);
  // Of its own tree everything that is on the way has been made.
  const bool lasting = !kind && root_of(folder) == Kind::lasting_root;
  const bool scratch = kind == Kind::folder && is_scratch(folder);
  if (!lasting && !scratch) return;
  hold_above(folder, key);
  hold(folder, lasting, kHeldReason, key);  // where it is missing, so is the place
}

Result<void> Tree::make_symlink(const std::string& path, const std::string& link,
                                std::string_view reason) {
  if (is_foreign(path) || kind_of(path)) return {};
  SBX_CHECK(make_parents(path, reason, ""));
  builder_.add(Phase::init, MakeSymlink{path, link}, reason);
  put(path, Kind::symlink);
  return {};
}

Result<void> Tree::make_file(const std::string& path, const std::string& content, unsigned mode,
                             std::string_view reason, std::string_view key) {
  SBX_CHECK(make_parents(path, reason, key));
  builder_.add(Phase::init, WriteFile{path, content, mode}, reason, key);
  put(path, Kind::file);
  return {};
}

bool Tree::is_made_file(std::string_view path) const { return kind_of(path) == Kind::file; }

Result<void> Tree::make_copy(const std::string& path, const std::string& source,
                             std::string_view reason, std::string_view key) {
  SBX_CHECK(make_parents(path, reason, key));
  builder_.add(Phase::init, CopyFile{source, path}, reason, key);
  put(path, Kind::file);
  return {};
}

}  // namespace sbx::plan
