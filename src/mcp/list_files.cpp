// list_files: the workspace as it stands, name by name.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "mcp/arguments.hpp"
#include "mcp/files.hpp"
#include "os/borrowed_rights.hpp"
#include "os/folder.hpp"

namespace sbx::mcp {
namespace {

constexpr std::uint64_t kDeepest = 64;
constexpr std::size_t kMost = 10'000;
constexpr std::size_t kWhole = std::string_view::npos;  // half a secret could not be masked
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

class Listing {
 public:
  Listing(const Workspace& workspace, std::uint64_t depth) : workspace_(workspace), depth_(depth) {}

  SysResult<void> run(const std::string& top) {
    auto folder =
        SBX_TRY(os::open_beneath(workspace_.folder(), top.empty() ? "." : top.c_str(), kFolder));
    SBX_CHECK(enter(std::move(folder), top));
    while (!levels_.empty() && files_.size() < kMost) {
      if (levels_.back().names.empty()) {
        levels_.pop_back();
        continue;
      }
      const std::string name = std::move(levels_.back().names.back());
      levels_.back().names.pop_back();
      visit(levels_.back(), name);
    }
    return {};
  }

  Answer answer() && {
    Answer answer;
    const bool more = !levels_.empty();
    if (more) text_ += "... and more: name a folder, or a smaller depth\n";
    answer.data = {{"files", std::move(files_)}, {"truncated", more}};
    answer.add_text(text_.empty() ? "nothing is there\n" : std::move(text_));
    return answer;
  }

 private:
  struct Level {
    os::UniqueFd folder;
    std::string path;
    std::vector<std::string> names;  ///< the next one is the last
  };

  SysResult<void> enter(os::UniqueFd folder, std::string path) {
    auto names = SBX_TRY(os::list_names(folder.get()));
    std::ranges::reverse(names);
    levels_.push_back({std::move(folder), std::move(path), std::move(names)});
    return {};
  }

  void visit(const Level& level, const std::string& name) {
    const std::string path = level.path.empty() ? name : level.path + "/" + name;
    struct ::stat what{};
    if (workspace_.hides(path) ||
        ::fstatat(level.folder.get(), name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0)
      return;
    add(level.folder.get(), name, path, what);
    if (!S_ISDIR(what.st_mode) || levels_.size() >= depth_) return;
    // A closed one is listed, and nothing in it.
    auto inner = os::open_beneath(level.folder.get(), name.c_str(), kFolder);
    if (inner) (void)enter(std::move(*inner), path);
  }

  void add(int folder, const std::string& name, const std::string& path,
           const struct ::stat& what) {
    Json entry{{"path", path}, {"kind", "other"}};
    text_ += printable(path, kWhole);  // a line each, whatever is in a name
    if (S_ISREG(what.st_mode)) {
      entry["kind"] = "file";
      entry["size"] = what.st_size;
    } else if (S_ISDIR(what.st_mode)) {
      entry["kind"] = "folder";
      text_ += "/";
    } else if (S_ISLNK(what.st_mode)) {
      char target[4096];
      const ssize_t size = ::readlinkat(folder, name.c_str(), target, sizeof target);
      std::string leads(target, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
      entry["kind"] = "symlink";
      text_ += " -> " + printable(leads, kWhole);
      entry["target"] = std::move(leads);
    }
    text_ += "\n";
    files_.push_back(std::move(entry));
  }

  const Workspace& workspace_;
  std::uint64_t depth_;
  std::vector<Level> levels_{};
  Json files_ = Json::array();
  std::string text_{};
};

Error cannot(const std::string& path, int error) {
  Error out{.kind = ErrorKind::usage, .what = "cannot list " + quote(path), .sys_errno = error};
  if (error == ELOOP || error == ENOTDIR)
    out.hint = "it is no folder, or a symbolic link is on the way, and none is followed";
  return out;
}

}  // namespace

Answer list_files(const Json& given, const Workspace& workspace) {
  Arguments arguments(given);
  const std::string asked = arguments.text("path").value_or(".");
  const auto depth = arguments.number("depth", 1, kDeepest).value_or(kDeepest);
  if (const auto wrong = arguments.mistake()) return failure(*wrong);
  const auto top = workspace.relative(asked);
  if (!top) return failure(top.error());
  os::BorrowedRights theirs(workspace.rights());
  if (const auto taken = theirs.take(); !taken) return failure(cannot(asked, taken.error().value));
  Listing listing(workspace, depth);
  if (const auto done = listing.run(*top); !done) return failure(cannot(asked, done.error().value));
  return std::move(listing).answer();
}

}  // namespace sbx::mcp
