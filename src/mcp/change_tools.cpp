#include "mcp/change_tools.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <string_view>
#include <utility>

#include "base/quantity.hpp"
#include "changes/changes_json.hpp"
#include "changes/diff_view.hpp"
#include "changes/tree.hpp"
#include "changes/view_words.hpp"
#include "mcp/arguments.hpp"
#include "os/folder.hpp"

namespace sbx::mcp {
namespace {

constexpr std::size_t kLongestPatch = std::size_t{256} << 10U;
constexpr std::size_t kMostChanges = 2000;

/// The file at `path` below the folder, unless it is large or none.
std::expected<std::string, changes::Lack> content_of(int folder, const std::string& path) {
  const auto lost = std::unexpected(changes::Lack::lost);
  changes::Workspace tree(folder);
  const auto spot = tree.spot(path);
  if (!spot) return lost;
  const auto file = os::open_beneath(spot->folder, spot->name.c_str(),
                                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (!file) return lost;
  std::string text;
  char bytes[65536];
  for (;;) {
    const ssize_t n = ::read(file->get(), bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 || text.size() > changes::kLargestShown) return lost;
    if (n == 0) return text;
    text.append(bytes, static_cast<std::size_t>(n));
  }
}

std::string patch_of(const Workspace::Difference& difference) {
  const changes::ReadContent read = [&difference](
                                        const changes::Change& change,
                                        bool after) -> std::expected<std::string, changes::Lack> {
    const changes::Entry& entry = after ? change.after : change.before;
    if (entry.kind != changes::EntryKind::file || entry.size > changes::kLargestShown)
      return std::unexpected(changes::Lack::lost);
    return content_of(after ? difference.after : difference.before, change.path);
  };
  std::string patch;
  changes::patch_view(difference.set, read, {}, [&patch](std::string_view lines) {
    patch += lines;
    return patch.size() <= kLongestPatch;  // the rest would be cut
  });
  return patch;
}

/// Cut between two lines.
bool shorten(std::string& patch) {
  if (patch.size() <= kLongestPatch) return false;
  patch.resize(patch.rfind('\n', kLongestPatch) + 1);
  return true;
}

Result<std::vector<std::string>> paths_of(const std::vector<std::string>& given,
                                          const Workspace& workspace) {
  std::vector<std::string> out;
  for (const std::string& path : given) {
    if (path.empty())  // what is left out is never all there is
      return std::unexpected(Error{.kind = ErrorKind::usage,
                                   .what = "an empty path",
                                   .where = "paths",
                                   .hint = "leave `paths` out for all changes"});
    const std::string name = SBX_TRY(workspace.relative(path));
    out.push_back(name.empty() ? "." : name);
  }
  return out;
}

Result<Answer> diff_with(const std::vector<std::string>& given, const Workspace& workspace) {
  const auto paths = SBX_TRY(paths_of(given, workspace));
  const auto difference = SBX_TRY(workspace.difference(paths));
  Json all = changes::head_json(difference.set, changes::totals(difference.set));
  std::string patch = patch_of(difference);
  bool cut = shorten(patch);
  all["changes"] = Json::array();
  for (const changes::Change& change : difference.set.changes) {
    if (change.passage) continue;
    if (all["changes"].size() == kMostChanges) {
      cut = true;
      break;
    }
    all["changes"].push_back(changes::change_json(change));
  }
  const std::span<const changes::Omission> omitted = difference.set.omitted;
  cut = cut || omitted.size() > kMostChanges;
  all["omitted"] = changes::omitted_json(omitted.first(std::min(omitted.size(), kMostChanges)));
  Answer answer;
  std::string text = std::to_string(all["added"].get<std::uint64_t>()) + " added, " +
                     std::to_string(all["modified"].get<std::uint64_t>()) + " modified, " +
                     std::to_string(all["deleted"].get<std::uint64_t>()) + " deleted\n" + patch;
  if (cut) text += "... cut: name fewer paths\n";
  answer.add_text(std::move(text));
  for (const char* const key : {"added", "modified", "deleted", "bytes", "changes", "omitted"})
    answer.data[key] = std::move(all[key]);
  // A content need not be UTF-8, nor a name; what is none becomes U+FFFD on the way.
  answer.data["patch"] = std::move(patch);
  answer.data["truncated"] = cut;
  return answer;
}

Result<Answer> apply_with(const std::vector<std::string>& given, Workspace& workspace) {
  const auto paths = SBX_TRY(paths_of(given, workspace));
  const Workspace::Brought brought = SBX_TRY(workspace.apply(paths));
  const changes::Applied& applied = brought.applied;
  Json all = changes::applied_json({}, applied);
  Answer answer;
  answer.data = {{"applied", applied.done}, {"already", applied.already}};
  answer.data["conflicts"] = std::move(all["conflicts"]);
  answer.data["omitted"] = changes::omitted_json(brought.omitted);
  answer.is_error = !applied.conflicts.empty();
  std::string text = std::to_string(applied.done) + " changes applied";
  if (answer.is_error) text = "nothing was applied; name the paths that you want without these:";
  for (const changes::Conflict& conflict : applied.conflicts)
    text += "\n" + changes::shown_path(conflict.path) + ": " + conflict.why;
  for (const changes::Omission& omission : brought.omitted)
    text += "\nomitted: " + changes::shown_path(omission.path) + ": " + omission.why;
  answer.add_text(std::move(text));
  return answer;
}

}  // namespace

Answer diff(const Json& given, const Workspace& workspace) {
  Arguments arguments(given);
  const auto paths = arguments.texts("paths");
  if (const auto wrong = arguments.mistake()) return failure(*wrong);
  if (!workspace.is_own())
    return failure(
        "the session has no workspace of its own to compare: the operator's profile has "
        "workspace.mode ro or rw");
  auto answer = diff_with(paths, workspace);
  return answer ? std::move(*answer) : failure(answer.error());
}

Answer apply(const Json& given, Workspace& workspace) {
  Arguments arguments(given);
  const auto paths = arguments.texts("paths");
  if (const auto wrong = arguments.mistake()) return failure(*wrong);
  if (!workspace.applies())
    return failure(
        "the operator has not allowed it: a server that is started with --workspace DIR:overlay "
        "--keep apply lets a client put its changes into DIR");
  auto answer = apply_with(paths, workspace);
  return answer ? std::move(*answer) : failure(answer.error());
}

}  // namespace sbx::mcp
