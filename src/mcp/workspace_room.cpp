// What a session may hold: as much as workspace.size says, in bytes and in names, of the operator's
// folder and of all that its calls have made.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "changes/tree.hpp"
#include "changes/view_words.hpp"
#include "mcp/workspace.hpp"
#include "os/borrowed_rights.hpp"
#include "os/count_tree.hpp"

namespace sbx::mcp {
namespace {

constexpr unsigned kBytesAName = 10;  // names cost as well: one for each KiB, as in an overlay
constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();

Error cannot_read(int error) {
  return {.kind = ErrorKind::host, .what = "cannot read the workspace", .sys_errno = error};
}

Error too_large(const std::string& what, profile::Bytes size) {
  return {.kind = ErrorKind::profile,
          .what = what + " is more than " + format_bytes(size) + ", or more than " +
                  std::to_string(size >> kBytesAName) + " names",
          .hint =
              "workspace.size bounds what a session may hold: --workspace DIR:overlay --set "
              "workspace.size=1G; without a copy, --workspace DIR:ro"};
}

void add(std::uint64_t& sum, std::uint64_t more) {
  sum = more > kNoBound - sum ? kNoBound : sum + more;
}

std::uint64_t beyond(std::uint64_t added, std::uint64_t freed) {
  return added > freed ? added - freed : 0;
}

/// Bytes of the file there, as os::count_tree counts them.
std::uint64_t held_at(changes::Workspace& tree, const std::string& path) {
  const auto spot = tree.spot(path);
  struct ::stat what{};
  if (!spot || ::fstatat(spot->folder, spot->name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0)
    return 0;
  return os::bytes_of(what);
}

}  // namespace

Result<void> Workspace::check_host_size() const {
  os::BorrowedRights theirs(rights_);  // what cannot be read is not in the copy either
  auto taken = theirs.take();
  const auto size = taken ? os::count_tree(host_.get(), {size_, size_ >> kBytesAName})
                          : std::unexpected(taken.error());
  if (!size) return std::unexpected(cannot_read(size.error().value));
  if (size->bytes <= size_ && size->entries <= size_ >> kBytesAName) return {};
  return std::unexpected(too_large("the workspace " + quote(source_), size_));
}

// What is freed is what the session holds, and not what a manifest says that it was: a file may
// have had holes.
Workspace::Growth Workspace::growth_of(const changes::ChangeSet& set) const {
  Growth growth;
  changes::Workspace tree(tree_.get());
  for (const changes::Change& change : set.changes) {
    if (change.passage) continue;
    if (change.before.kind == changes::EntryKind::absent) ++growth.added_names;
    if (change.after.kind == changes::EntryKind::absent) ++growth.freed_names;
    if (change.object != 0) add(growth.added_bytes, change.after.size);
    if (change.object != 0 || change.after.kind != changes::EntryKind::file)
      add(growth.freed_bytes, held_at(tree, change.path));
  }
  return growth;
}

Workspace::Growth Workspace::growth_of(const std::string& path, std::uint64_t bytes) const {
  Growth growth{.added_bytes = bytes};
  changes::Workspace tree(tree_.get());
  growth.freed_bytes = held_at(tree, path);
  for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1))
    if (!tree.has_folder(path.substr(0, end))) ++growth.added_names;
  const auto spot = tree.spot(path);
  struct ::stat what{};
  if (!spot || ::fstatat(spot->folder, spot->name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0)
    ++growth.added_names;
  return growth;
}

Result<void> Workspace::check_depth(std::string_view path) const {
  constexpr std::ptrdiff_t kDeepest = 64;  // of launch/execute_masks.cpp, from the root
  const std::ptrdiff_t levels =
      std::ranges::count(at_, '/') + std::ranges::count(path, '/') + (path.empty() ? 0 : 1);
  if (!searches_ || levels <= kDeepest) return {};
  return std::unexpected(
      Error{.kind = ErrorKind::profile,
            .what = "the folder " + changes::shown_path(path) +
                    " lies deeper than 64 levels, where no run "
                    "could find what the operator's profile hides (mask, with `**`)"});
}

Result<void> Workspace::check_room(const Growth& growth) const {
  if (!is_own()) return {};
  const std::uint64_t bytes = beyond(growth.added_bytes, growth.freed_bytes);
  const std::uint64_t names = beyond(growth.added_names, growth.freed_names);
  if (bytes == 0 && names == 0) return {};  // also where there is too much: else it stays so
  const os::TreeSize most{bytes == 0 ? kNoBound : size_,
                          names == 0 ? kNoBound : size_ >> kBytesAName};
  const auto used = os::count_tree(tree_.get(), most);
  if (!used) return std::unexpected(cannot_read(used.error().value));
  if (!used->closed.empty())
    return std::unexpected(
        Error{.kind = ErrorKind::profile,
              .what = "nobody can tell how much the session's workspace holds: the folder " +
                      changes::shown_path(used->closed) + " lies too deep, or is closed",
              .hint = "remove it, in a call of its own"});
  const auto fits = [](std::uint64_t held, std::uint64_t more, std::uint64_t bound) {
    return more == 0 || (more <= bound && held <= bound - more);
  };
  if (fits(used->bytes, bytes, most.bytes) && fits(used->entries, names, most.entries)) return {};
  return std::unexpected(too_large("what the session's workspace would hold", size_));
}

}  // namespace sbx::mcp
