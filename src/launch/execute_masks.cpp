// Steps that hide things: a file behind an empty one, a folder behind an empty one, one by
// name or every match of a pattern.
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/fail.hpp"
#include "base/path_pattern.hpp"
#include "launch/executor.hpp"
#include "os/entries.hpp"
#include "os/mount.hpp"

namespace sbx::launch {
namespace {

constexpr int kMaxDepth = 64;      // of folders; each holds a listing on the stack
constexpr int kMaxMatches = 1024;  // mounts; past it the pattern is a mistake or an attack
constexpr int kMaxAttempts = 100;  // then somebody swaps on purpose: refuse

/// The type of what is at `place`, as in st_mode; a link is ELOOP.
SysResult<::mode_t> type_at(const Place& place) noexcept {
  struct ::stat what{};
  if (::fstatat(place.folder, place.name, &what, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0)
    return fail();
  if (S_ISLNK(what.st_mode)) return std::unexpected(Errno{ELOOP});
  return what.st_mode;
}

/// Covers what is at `place`: a folder by an empty one, anything else by /dev/null. Does it `stay`?
/// In a folder of the host's somebody may remove a name, and the mount at it is gone (unlink(2)).
StepResult cover(Context& context, const Place& place, ::mode_t type, bool stays) noexcept {
  const bool folder = S_ISDIR(type);
  // The new root's own null: a bind of the host's node, which keeps working with nodev off.
  if (!folder && !context.null.fd.valid())
    context.null.fd = SBX_TRY(os::open_inside(context.root.get(), "dev/null"));
  Cover& source = folder ? context.empty_folder : context.null;
  const std::uint64_t attributes =
      MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | (folder ? MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC : 0);
  os::UniqueFd tree = SBX_TRY(os::clone_tree(source.fd.get(), false));
  if (!source.closed) SBX_CHECK(os::restrict_mount(tree.get(), attributes, false));
  SBX_CHECK(os::attach_tree(tree.get(), place.folder, place.name));
  if (stays && !source.closed) source = {std::move(tree), true};
  return {};
}

/// Who may write there has removed or replaced it since we looked: a file in place of a folder is
/// EINVAL, a name that is gone ENOENT. Whatever is there now is to be covered as well.
bool has_changed(int error) noexcept { return error == EINVAL || error == ENOENT; }

/// What is at `place` now, or a link itself, whatever becomes of its name; kept open as `held`.
SysResult<Place> hold_at(const Place& place, os::UniqueFd& held) noexcept {
  held = os::UniqueFd(::openat(place.folder, place.name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!held.valid()) return fail();
  return Place{held.get(), ""};
}

/// `path` cannot be reached (EACCES): is the folder on the way that is closed to init, and so to
/// the payload, which has fewer rights, somebody else's? One of our own it could open.
bool is_closed_by_others(Context& context, const std::string& path) noexcept {
  struct ::stat what{};
  for (std::size_t end = 0; end != std::string::npos; end = path.find('/', end + 1)) {
    char above[PATH_MAX];
    if (end >= sizeof above) return false;
    std::memcpy(above, path.data(), end);
    above[end] = '\0';
    const auto folder = os::open_inside(context.root.get(), end == 0 ? "." : above + 1);
    if (!folder) return folder.error().value == EACCES && what.st_uid != ::getuid();
    if (::fstat(folder->get(), &what) != 0) return false;
  }
  return what.st_uid != ::getuid();
}

struct Walk {
  Context* context;
  const plan::MaskGlob* step;
  const PathPattern* pattern;
  int matches;
};

/// A folder on the way; `name` is what it is called in the one above.
struct Folder {
  Folder* above;
  const char* name;
  os::UniqueFd fd;
};

bool is_at(const Folder& folder, std::string_view path) noexcept {
  if (folder.above == nullptr) return path.empty();
  const std::size_t slash = path.rfind('/');
  return slash != std::string_view::npos && path.substr(slash + 1) == folder.name &&
         is_at(*folder.above, path.substr(0, slash));
}

SysResult<bool> is_mount_point(int folder) noexcept {
  struct ::statx what{};
  if (::statx(folder, "", AT_EMPTY_PATH, 0, &what) != 0) return fail();
  return (what.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

/// A mount goes along when a folder above it is renamed. In a tree of `held` each of them becomes a
/// mount point itself, from the outermost on, and is used through its mount. Is it in such a tree?
SysResult<bool> hold(Walk& state, Folder& folder) noexcept {
  if (std::ranges::any_of(state.step->held, [&](const auto& at) { return is_at(folder, at); }))
    return true;
  if (folder.above == nullptr || !SBX_TRY(hold(state, *folder.above))) return false;
  folder.fd = SBX_TRY(os::open_inside(folder.above->fd.get(), folder.name));
  if (!SBX_TRY(is_mount_point(folder.fd.get())))
    folder.fd = SBX_TRY(bind_onto_itself(*state.context, folder.fd.get(), false));
  return true;
}

/// Folders that cannot be listed hide nothing from a payload that cannot enter them either, and it
/// has no more rights than real ids without capabilities (access(2)).
bool may_enter(int folder) noexcept { return ::faccessat(folder, ".", X_OK, 0) == 0; }

/// An earlier payload may have closed its own folder, for a later one to open (chmod(2)). We could
/// look into it all the same, were its group one that our namespace knows (capabilities(7)).
bool may_open(int folder) noexcept {
  struct ::stat what{};
  return ::fstat(folder, &what) != 0 || what.st_uid == ::getuid();
}

/// Covers the entry `name` of `folder`, which is open as `found`, where it stays.
StepResult cover_match(Walk& state, Folder& folder, const char* name, os::UniqueFd found) noexcept {
  if (++state.matches > kMaxMatches) return std::unexpected(Errno{E2BIG});
  if (SBX_TRY(hold(state, folder))) found = SBX_TRY(os::open_inside(folder.fd.get(), name));
  state.context->folder.fd.reset();  // this may cover it
  const Place place{found.get(), ""};
  return cover(*state.context, place, SBX_TRY(type_at(place)), false);
}

StepResult walk(Walk& state, Folder folder, PathPattern::States states, int depth) noexcept;

/// What an entry of `folder` is to the pattern: covered, walked, or left alone. Links are never
/// followed: a link to a secret shows the secret's own path, which has its own mask or none.
StepResult visit(Walk& state, Folder& folder, const char* name, PathPattern::States states,
                 int depth) noexcept {
  states = state.pattern->step(states, name);
  if (states == 0) return {};
  auto found = os::open_inside(folder.fd.get(), name);
  if (!found && (found.error().value == ELOOP || found.error().value == ENOENT)) return {};
  if (!found) return std::unexpected(found.error());
  if (state.pattern->matches(states))  // what lies below goes with it
    return cover_match(state, folder, name, std::move(*found));
  struct ::stat what{};
  if (::fstat(found->get(), &what) != 0) return fail();
  if (!S_ISDIR(what.st_mode)) return {};
  return walk(state, {&folder, name, std::move(*found)}, states, depth + 1);
}

/// Walks `folder`, at which the pattern stands at `states`.
StepResult walk(Walk& state, Folder folder, PathPattern::States states, int depth) noexcept {
  if (depth > kMaxDepth) return std::unexpected(Errno{ENAMETOOLONG});
  const os::UniqueFd listing(::openat(folder.fd.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listing.valid()) {
    if (errno != EACCES || may_enter(folder.fd.get())) return fail();
    if (!may_open(folder.fd.get())) return {};
    if (folder.above == nullptr) return std::unexpected(Errno{EACCES});
    return cover_match(state, *folder.above, folder.name, std::move(folder.fd));
  }
  return os::each_entry(listing.get(), [&](const ::dirent64& entry) noexcept {
    return visit(state, folder, entry.d_name, states, depth);
  });
}

}  // namespace

StepResult run(const plan::MaskPath& step, Context& context) noexcept {
  const auto named = place_of(context, step.path);
  const bool stays = step.path.starts_with("/proc/");
  os::UniqueFd held;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    // By name first, which is the cheaper way. Who exchanges two names in step with us would win
    // that each time; of what is held they can change nothing.
    const auto place = named && attempt > 0 ? hold_at(*named, held) : named;
    const auto type = place ? type_at(*place) : std::unexpected(place.error());
    // ELOOP: a link at that place leads to a file that has a name of its own.
    const int error = type ? 0 : type.error().value;
    if (step.optional && (error == ENOENT || error == ENOTDIR)) return {};
    if (step.of_others && error == EACCES && is_closed_by_others(context, step.path)) return {};
    if (!type) return std::unexpected(type.error());
    const StepResult covered = cover(context, *place, *type, stays);
    if (covered || !has_changed(covered.error().value)) return covered;
  }
  return std::unexpected(Errno{EAGAIN});
}

StepResult run(const plan::MaskGlob& step, Context& context) noexcept {
  const PathPattern pattern(step.pattern);
  if (!pattern.valid()) return std::unexpected(Errno{EINVAL});
  // A link that somebody has written out is no match to be left alone: nothing would be hidden.
  const auto folder = os::open_inside(context.root.get(), step.folder.c_str());
  if (!folder && folder.error().value == ELOOP) return std::unexpected(folder.error());
  Walk state{&context, &step, &pattern, 0};
  return walk(state, {nullptr, "", SBX_TRY(os::open_inside(context.root.get(), "."))},
              pattern.start(), 0);
}

}  // namespace sbx::launch
