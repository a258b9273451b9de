#include "changes/kept_contents.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/fail.hpp"
#include "changes/file_time.hpp"
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

std::optional<std::string> read_whole(int file, std::uint64_t size) {
  std::string text(size, '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t n =
        ::pread(file, text.data() + got, text.size() - got, static_cast<::off_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    got += static_cast<std::size_t>(n);
  }
  return text;
}

bool is_unchanged(const struct ::stat& then, const struct ::stat& now) {
  return then.st_size == now.st_size && nanoseconds(then.st_mtim) == nanoseconds(now.st_mtim) &&
         nanoseconds(then.st_ctim) == nanoseconds(now.st_ctim);
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

SysResult<std::string> KeptContents::digest_of(int file, bool linked) {
  struct ::stat what{};
  if (::fstat(file, &what) != 0) return fail();
  if (!linked && what.st_nlink < 2) return SBX_TRY(os::digest_content(file)).digest;
  Digested& known = digested_[{what.st_dev, what.st_ino}];
  if (known.digest.empty() || !is_unchanged(known.what, what))
    known = {what, SBX_TRY(os::digest_content(file)).digest};
  return known.digest;
}

std::expected<std::string, Lack> KeptContents::read(const Change& change, bool after) {
  const Entry& entry = after ? change.after : change.before;
  const auto lost = std::unexpected(Lack::lost);
  if (entry.kind != EntryKind::file || entry.size > kLargestShown) return lost;
  const bool kept = after && change.object != 0;
  if (!kept && workspace_ < 0) return lost;
  const auto file = kept ? open_object(kept_, change.object) : open_in(workspace_, change.path);
  if (file && digest_of(file->get(), kept && change.link_group != 0) == entry.digest)
    if (auto text = read_whole(file->get(), entry.size)) return *std::move(text);
  if (!after && is_applied(workspace_, change)) return std::unexpected(Lack::applied);
  return lost;
}

}  // namespace sbx::changes
