#include "changes/kept_contents.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "changes/look.hpp"
#include "changes/tree.hpp"
#include "os/content.hpp"
#include "os/folder.hpp"

namespace sbx::changes {
namespace {

SysResult<os::UniqueFd> open_in(int workspace, const std::string& path) {
  Workspace tree(workspace);
  const Spot spot = SBX_TRY(tree.spot(path));
  return os::open_beneath(spot.folder, spot.name.c_str(),
                          O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
}

std::optional<std::string> read_as(const SysResult<os::UniqueFd>& file, const Entry& entry) {
  if (!file) return std::nullopt;
  const auto content = os::digest_content(file->get());
  if (!content || content->digest != entry.digest) return std::nullopt;
  std::string text(entry.size, '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t n =
        ::pread(file->get(), text.data() + got, text.size() - got, static_cast<::off_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    got += static_cast<std::size_t>(n);
  }
  return text;
}

/// Does the workspace have what the run left? Of a file only one of that size is read.
bool is_applied(int workspace, const Change& change) {
  Workspace tree(workspace);
  struct ::stat what{};
  const auto spot = tree.spot(change.path);
  if (spot && ::fstatat(spot->folder, spot->name.c_str(), &what, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISREG(what.st_mode) && static_cast<std::uint64_t>(what.st_size) != change.after.size)
    return false;
  const auto now = tree.look(change.path);
  return now && is_same(change.after, *now);
}

}  // namespace

std::expected<std::string, Lack> KeptContents::read(const Change& change, bool after) const {
  const Entry& entry = after ? change.after : change.before;
  const auto lost = std::unexpected(Lack::lost);
  if (entry.kind != EntryKind::file || entry.size > kLargestShown) return lost;
  const bool kept = after && change.object != 0;
  if (!kept && workspace_ < 0) return lost;
  auto text =
      read_as(kept ? open_object(kept_, change.object) : open_in(workspace_, change.path), entry);
  if (text) return std::move(*text);
  if (!after && is_applied(workspace_, change)) return std::unexpected(Lack::applied);
  return lost;
}

}  // namespace sbx::changes
