#include "mcp/git_guard.hpp"

#include <algorithm>

#include "base/lexical_path.hpp"
#include "base/text.hpp"
#include "os/probe.hpp"

namespace sbx::mcp {
namespace {

Error refusal(std::string_view relative) {
  return {.kind = ErrorKind::usage,
          .what = quote(relative) +
                  " is kept from all but git, which obeys it or what is in it (workspace.git: "
                  "protect, in the operator's profile)",
          .hint =
              "a command may commit; who is to write there needs a server with --workspace "
              "DIR:overlay and without --git"};
}

/// A git folder, of whatever repository: what runs need not keep of it is git's own, too.
bool is_git(std::string_view relative) {
  const auto names = split(relative, '/');
  return std::ranges::find(names, ".git") != names.end();
}

/// Folders that are held are written to; what is kept in them has a place of its own.
bool keeps(const GitPlace& place, const std::string& path) {
  return place.keep == GitKeep::held ? path == place.path : is_below(path, place.path);
}

}  // namespace

Result<void> GitGuard::check(int top, std::string_view relative) const {
  if (is_git(relative)) return std::unexpected(refusal(relative));
  const std::string source = "/proc/self/fd/" + std::to_string(top);  // wherever it is by now
  const HostFacts facts = SBX_TRY(os::probe(
      {.env = env_, .root = os::RootRequest::empty, .sources = {{source, "/"}}, .git = true}));
  const SourceFacts& folder = facts.sources.at(source);
  if (!facts.git)
    return std::unexpected(Error{.kind = ErrorKind::host,
                                 .what = "nobody can tell what git obeys in the workspace "
                                         "(workspace.git: protect): " +
                                         (folder.problem.empty() ? "it is gone" : folder.problem)});
  if (facts.git->refused) {
    Error error = *facts.git->refused;
    error.what = "workspace.git: protect: " + error.what;
    return std::unexpected(std::move(error));
  }
  const std::string path = folder.path + "/" + std::string(relative);
  const auto& repositories = facts.git->repositories;
  const auto holds = [&path](const std::string& repository) { return is_below(path, repository); };
  const auto hit = [&path](const GitPlace& place) { return keeps(place, path); };
  if (std::ranges::none_of(repositories, holds) && std::ranges::none_of(facts.git->places, hit))
    return {};
  return std::unexpected(refusal(relative));
}

}  // namespace sbx::mcp
