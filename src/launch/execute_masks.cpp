// init's steps that hide things: a file behind an empty one, a folder behind an empty one, one by
// name or every match of a pattern.
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "launch/executor.hpp"
#include "os/mount.hpp"

namespace sbx::launch {
namespace {

constexpr int kMaxDepth = 24;      // of folders below a pattern's fixed part
constexpr int kMaxMatches = 1024;  // mounts; past it the pattern is a mistake or an attack
constexpr std::size_t kEntryBuffer = 8192;

std::unexpected<Errno> fail() noexcept { return std::unexpected(Errno{errno}); }

/// Covers what `target` (O_PATH) is: a folder by an empty read-only tmpfs, anything else by
/// /dev/null.
StepResult cover(Context& context, int target) noexcept {
  context.folder.fd.reset();  // this may cover it
  struct ::stat what{};
  if (::fstat(target, &what) != 0) return fail();
  if (S_ISDIR(what.st_mode)) {
    const os::FsOption options[] = {{"size", "4k"}, {"nr_inodes", "2"}, {"mode", "0555"}};
    const os::UniqueFd empty = SBX_TRY(os::new_filesystem(
        "tmpfs", options,
        MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
    return os::attach_tree(empty.get(), target, "");
  }
  // The new root's own null: a bind of the host's node, which keeps working with nodev off.
  const os::UniqueFd null = SBX_TRY(os::open_inside(context.root.get(), "dev/null"));
  const os::UniqueFd tree = SBX_TRY(os::clone_tree(null.get(), false));
  SBX_CHECK(os::restrict_mount(tree.get(), MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, false));
  return os::attach_tree(tree.get(), target, "");
}

struct Walk {
  Context* context;
  int matches;
};

/// One component of a pattern against `name`; '*' and '?' never match '/', nor a leading dot unless
/// the component is exactly "**".
bool component_matches(const char* component, const char* name) noexcept {
  return ::fnmatch(component, name, FNM_PATHNAME) == 0;
}

/// Walks `folder` for what is left of the pattern, components separated by '/'. Links are never
/// followed: a link to a secret shows the secret's own path, which has its own mask or none.
StepResult walk(Walk& state, int folder, const char* pattern, int depth) noexcept {
  if (depth > kMaxDepth) return {};
  char component[NAME_MAX + 1];
  const char* slash = std::strchr(pattern, '/');
  const std::size_t length =
      slash != nullptr ? static_cast<std::size_t>(slash - pattern) : std::strlen(pattern);
  if (length == 0 || length > NAME_MAX) return std::unexpected(Errno{EINVAL});
  std::memcpy(component, pattern, length);
  component[length] = '\0';
  const char* rest = slash != nullptr ? slash + 1 : nullptr;
  const bool any_depth = std::strcmp(component, "**") == 0;
  // "**" also stands for no folder at all.
  if (any_depth && rest != nullptr) SBX_CHECK(walk(state, folder, rest, depth + 1));

  const os::UniqueFd listing(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listing.valid()) return errno == EACCES ? StepResult{} : fail();
  alignas(struct ::dirent64) char buffer[kEntryBuffer];
  for (;;) {
    const long size = ::syscall(SYS_getdents64, listing.get(), buffer, sizeof buffer);
    if (size < 0) return fail();
    if (size == 0) return {};
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const struct ::dirent64*>(buffer + at);
      at += entry->d_reclen;
      const char* name = entry->d_name;
      if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
      if (!any_depth && !component_matches(component, name)) continue;
      const auto found = os::open_inside(folder, name);
      if (!found && (found.error().value == ELOOP || found.error().value == ENOENT)) continue;
      if (!found) return std::unexpected(found.error());
      struct ::stat what{};
      if (::fstat(found->get(), &what) != 0) return fail();
      const bool is_folder = S_ISDIR(what.st_mode);
      if (any_depth) {
        if (is_folder) SBX_CHECK(walk(state, found->get(), pattern, depth + 1));
        if (rest != nullptr) continue;
      } else if (rest != nullptr) {
        if (is_folder) SBX_CHECK(walk(state, found->get(), rest, depth + 1));
        continue;
      }
      if (++state.matches > kMaxMatches) return std::unexpected(Errno{E2BIG});
      SBX_CHECK(cover(*state.context, found->get()));
    }
  }
}

}  // namespace

StepResult run(const plan::MaskPath& step, Context& context) noexcept {
  const auto target = os::open_inside(context.root.get(), relative(step.path));
  if (!target) {
    // ELOOP: a link at that place leads to a file that has a name of its own.
    const bool absent = target.error().value == ENOENT || target.error().value == ENOTDIR;
    if (step.optional && absent) return {};
    return std::unexpected(target.error());
  }
  return cover(context, target->get());
}

StepResult run(const plan::MaskGlob& step, Context& context) noexcept {
  Walk state{&context, 0};
  return walk(state, context.root.get(), relative(step.pattern), 0);
}

}  // namespace sbx::launch
