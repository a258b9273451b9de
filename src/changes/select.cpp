#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "changes/apply.hpp"

namespace sbx::changes {
namespace {

/// "./src/", "/home/me/project/src" and "src" are all "src".
std::string_view normalised(std::string_view path, std::string_view workspace) {
  if (path == workspace) return {};
  if (path.starts_with(workspace) && path.substr(workspace.size()).starts_with('/'))
    path.remove_prefix(workspace.size() + 1);
  while (path.starts_with("./")) path.remove_prefix(2);
  while (path.ends_with('/')) path.remove_suffix(1);
  return path == "." ? std::string_view{} : path;
}

/// An empty word, as an unset variable of a script leaves it, or a root: never all there is.
bool names_nothing(std::string_view path, std::string_view workspace) {
  return path != workspace && path.find_first_not_of('/') == std::string_view::npos;
}

bool is_at_or_below(std::string_view path, std::string_view top) {
  return top.empty() || path == top ||
         (path.starts_with(top) && path.substr(top.size()).starts_with('/'));
}

/// Needed by what is in it: a new folder, or one that has to be opened.
bool is_way(const Change& change) {
  const bool closed = (change.before.mode & 0700U) != 0700U;
  return change.after.kind == EntryKind::folder &&
         (change.before.kind != EntryKind::folder || closed);
}

}  // namespace

Result<std::vector<std::size_t>> select(const ChangeSet& set, std::span<const std::string> paths) {
  std::set<std::size_t> chosen;
  std::vector<std::string_view> tops;
  for (const std::string& path : paths) tops.push_back(normalised(path, set.workspace));
  if (paths.empty()) tops.emplace_back();
  for (std::size_t t = 0; t < tops.size(); ++t) {
    bool any = false;
    const bool nothing = !paths.empty() && names_nothing(paths[t], set.workspace);
    for (std::size_t i = 0; !nothing && i < set.changes.size(); ++i) {
      const Change& change = set.changes[i];
      if (!is_at_or_below(change.path, tops[t])) {
        if (is_way(change) && is_at_or_below(tops[t], change.path)) chosen.insert(i);
        continue;
      }
      chosen.insert(i);
      any = any || !change.passage;
    }
    if (!any && !paths.empty())
      return std::unexpected(Error{.kind = ErrorKind::usage,
                                   .what = "nothing has changed at " + quote(paths[t]),
                                   .hint = "all changes: sbx diff " + set.run + " --stat"});
  }
  return std::vector<std::size_t>(chosen.begin(), chosen.end());
}

}  // namespace sbx::changes
