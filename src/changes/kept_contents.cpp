#include "changes/kept_contents.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "changes/tree.hpp"
#include "changes/view_contents.hpp"
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

}  // namespace

std::optional<std::string> KeptContents::read(const Change& change, bool after) const {
  const Entry& entry = after ? change.after : change.before;
  if (entry.kind != EntryKind::file || entry.size > kLargestShown) return std::nullopt;
  if (after && change.object != 0) return read_as(open_object(kept_, change.object), entry);
  if (workspace_ < 0) return std::nullopt;
  return read_as(open_in(workspace_, change.path), entry);
}

}  // namespace sbx::changes
