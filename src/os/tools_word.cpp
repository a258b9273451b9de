#include "os/tools_word.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "os/tools_install.hpp"

namespace sbx::os {
namespace {

/// Package trees whose programs need their neighbours: libraries lie in other packages' folders.
constexpr std::array<std::string_view, 3> kStores = {"/home/linuxbrew/.linuxbrew", "/nix/store",
                                                     "/gnu/store"};

/// The folders that the profile shows. Not the one where the caller stands if that is his home, or
/// above it, which nobody has named: it is left out (plan/sources.cpp).
std::vector<std::string> folders_shown(const HostFacts& facts) {
  std::vector<std::string> folders;
  for (const auto& [name, source] : facts.sources) {
    const bool left_out =
        !facts.homes.empty() && source.path == facts.cwd && is_home_or_above(facts, source.path);
    if (source.exists && !left_out) folders.push_back(source.path);
  }
  return folders;
}

/// The innermost of those, and of the caller's own folder, in which `path` is; a home is not what
/// the sandbox works on.
std::string input_of(const std::string& path, const HostFacts& facts) {
  std::string found;
  const auto look = [&](const std::string& root) {
    if (is_at_or_below(path, root) && root.size() > found.size()) found = root;
  };
  const auto home = resolve_path(facts.home);
  if (!home || !is_at_or_below(home->path, facts.cwd)) look(facts.cwd);
  for (const std::string& folder : folders_shown(facts)) look(folder);
  return found;
}

/// Has the standard library of its own beside it, as nothing but an interpreter has.
bool is_python(const std::string& prefix) {
  const std::string lib = join_path(prefix, "lib");
  return std::ranges::any_of(names_in(lib), [&](const std::string& name) {
    return (name.starts_with("python") || name.starts_with("pypy")) &&
           exists(join_path({lib, name, "os.py"}));
  });
}

}  // namespace

std::string_view store_of(std::string_view path) {
  const auto found = std::ranges::find_if(
      kStores, [path](const std::string_view store) { return is_at_or_below(path, store); });
  return found == kStores.end() ? std::string_view() : *found;
}

Word word_of(const Word& before, const std::string& place, const HostFacts& facts) {
  std::string root = input_of(place, facts);
  const bool inner = root != before.root && is_at_or_below(root, before.root);
  if (!root.empty() && (before.root.empty() || inner)) return {place, std::move(root)};
  return before;
}

Word word_of(const Word& before, const std::vector<PathLink>& links, const HostFacts& facts) {
  Word word = before;
  for (const PathLink& link : links) word = word_of(word, link.path, facts);
  return word;
}

bool may_show(const std::string& tree, const Word& word, const HostFacts& facts) {
  const auto in = [&tree](const auto& folder) { return is_at_or_below(tree, folder); };
  return word.root.empty() || in(word.root) || host_root_shows(tree) || !store_of(tree).empty() ||
         std::ranges::any_of(folders_shown(facts), in) || is_python(tree);
}

}  // namespace sbx::os
