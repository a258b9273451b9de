// Finds what a version manager's shim would run, without running it: a shim is a script that starts
// its manager, which needs the caller's home; the sandbox gets the program itself. Only reads.
#include "os/tools_shims.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "os/tools_path.hpp"

namespace sbx::os {
namespace {

/// The managers that descend from rbenv share one layout: ROOT/shims, ROOT/versions, ROOT/version.
struct Xenv {
  const char* name;
  const char* root_variable;
  const char* version_variable;
  const char* version_file;
};
constexpr std::array kXenvs = {
    Xenv{"pyenv", "PYENV_ROOT", "PYENV_VERSION", ".python-version"},
    Xenv{"rbenv", "RBENV_ROOT", "RBENV_VERSION", ".ruby-version"},
    Xenv{"nodenv", "NODENV_ROOT", "NODENV_VERSION", ".node-version"},
    Xenv{"goenv", "GOENV_ROOT", "GOENV_VERSION", ".go-version"},
};

std::string root_of(const char* variable, const std::string& fallback, const HostFacts& facts) {
  const std::string named = env_of(facts, variable);
  return named.empty() ? join_path(facts.home, fallback) : named;
}

std::vector<std::string> words_of(std::string_view text, const char* separators) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t first = text.find_first_not_of(separators);
    if (first == std::string_view::npos) break;
    text.remove_prefix(first);
    const std::size_t length = std::min(text.size(), text.find_first_of(separators));
    words.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return words;
}

struct Versions {
  std::vector<std::string> names;
  std::string set_by;
};

std::optional<Versions> versions_in(const std::string& file) {
  const std::optional<std::string> text = read_small_file(file);
  if (!text) return std::nullopt;
  Versions versions{{}, file};
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    for (std::string& word : words_of(line.substr(0, line.find('#')), " \t:"))
      versions.names.push_back(std::move(word));
  }
  if (versions.names.empty()) return std::nullopt;
  return versions;
}

Versions xenv_versions(const Xenv& xenv, const std::string& root, const HostFacts& facts) {
  const std::string chosen = env_of(facts, xenv.version_variable);
  if (!chosen.empty()) return {words_of(chosen, ":"), xenv.version_variable};
  for (const std::string& folder : upwards(facts)) {
    if (auto found = versions_in(join_path(folder, xenv.version_file))) return *found;
  }
  if (auto found = versions_in(root + "/version")) return *found;
  return {{"system"}, "default"};
}

/// "3.11" stands for the newest installed 3.11.x, as in pyenv since 2.3.
/// A word that is no name comes from a file of somebody else's (CVE-2022-35861).
std::string installed_version(const std::string& folder, const std::string& version) {
  if (version.contains('/') || version == "." || version == "..") return {};
  if (is_folder(join_path(folder, version))) return version;
  std::string best;
  for (const std::string& name : names_in(folder)) {
    if (name.starts_with(version + ".") && strverscmp(name.c_str(), best.c_str()) > 0) best = name;
  }
  return best;
}

ShimTarget follow_xenv(const Xenv& xenv, const std::string& root, const std::string& name,
                       const HostFacts& facts) {
  const Versions versions = xenv_versions(xenv, root, facts);
  for (const std::string& version : versions.names) {
    if (version == "system") {
      if (auto found = search_path(name, facts, root + "/shims")) return {.program = *found};
      continue;
    }
    const std::string installed = installed_version(root + "/versions", version);
    if (installed.empty()) continue;
    std::string program = join_path({root, "versions", installed, "bin", name});
    if (is_program(program)) return {.program = std::move(program)};
  }
  std::string wanted;
  for (const std::string& version : versions.names) wanted.append(" ").append(version);
  return {.problem = name + " is a shim of " + xenv.name + ", and its version" + wanted +
                     " (set by " + versions.set_by + ") is not installed or has no " + name};
}

/// The version of `plugin` in a .tool-versions file ("nodejs 20.1.0 system").
std::string tool_version(const std::string& file, const std::string& plugin) {
  const std::optional<std::string> text = read_small_file(file);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    const std::vector<std::string> words = words_of(take_line(rest), " \t");
    if (words.size() >= 2 && words[0] == plugin) return words[1];
  }
  return {};
}

/// An asdf shim names the plugins and versions that have the program: "# asdf-plugin:
/// nodejs 20.1.0".
ShimTarget follow_asdf(const std::string& shim, const std::string& root, const std::string& name,
                       const HostFacts& facts) {
  std::vector<std::string> places = upwards(facts);
  places.push_back(facts.home);
  const std::optional<std::string> text = read_small_file(shim);
  std::vector<std::vector<std::string>> offers;
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    std::vector<std::string> words = words_of(take_line(rest), " \t");
    if (words.size() >= 4 && words[0] == "#" && words[1] == "asdf-plugin:") offers.push_back(words);
  }
  const auto program = [&](const std::vector<std::string>& offer) {
    return join_path({root, "installs", offer[2], offer[3], "bin", name});
  };
  for (const std::string& place : places) {
    for (const std::vector<std::string>& offer : offers) {
      if (tool_version(join_path(place, ".tool-versions"), offer[2]) == offer[3] &&
          is_program(program(offer)))
        return {.program = program(offer)};
    }
  }
  if (offers.size() == 1 && is_program(program(offers[0]))) return {.program = program(offers[0])};
  return {.problem = name + " is a shim of asdf, and no .tool-versions file picks its version"};
}

/// mise's shims are all mise itself; what they run follows from many files. With one installation
/// there is nothing to choose; links such as `latest` stand for another one.
ShimTarget follow_mise(const std::string& root, const std::string& name) {
  std::vector<std::string> found;
  for (const std::string& tool : names_in(root + "/installs")) {
    for (const std::string& version : names_in(join_path({root, "installs", tool}))) {
      const auto place = resolve_path(join_path({root, "installs", tool, version}));
      const std::string program = place ? join_path({place->path, "bin", name}) : std::string();
      if (place && std::ranges::find(found, program) == found.end() && is_program(program))
        found.push_back(program);
    }
  }
  if (found.size() == 1) return {.program = found[0]};
  return {.problem = name + " is a shim of mise, which has " + std::to_string(found.size()) +
                     " installations of it (`mise which " + name + "` prints the one in use)"};
}

/// Whether `program` lies in ROOT/shims, whatever links the PATH goes through.
bool in_shims(const std::string& program, const std::string& root) {
  const auto folder = resolve_path(parent_of(program));
  const auto shims = resolve_path(root + "/shims");
  return folder && shims && folder->path == shims->path;
}

}  // namespace

std::optional<ShimTarget> follow_shim(const std::string& program, const std::string& name,
                                      const HostFacts& facts) {
  const std::string folder = base_name(parent_of(program));
  if (folder == "shims") {
    for (const Xenv& xenv : kXenvs) {
      const std::string root = root_of(xenv.root_variable, std::string(".") + xenv.name, facts);
      if (in_shims(program, root)) return follow_xenv(xenv, root, name, facts);
    }
    const std::string asdf = root_of("ASDF_DATA_DIR", ".asdf", facts);
    if (in_shims(program, asdf)) return follow_asdf(program, asdf, name, facts);
    const std::string mise = root_of("MISE_DATA_DIR", ".local/share/mise", facts);
    if (in_shims(program, mise)) return follow_mise(mise, name);
  }
  const auto real = resolve_path(program);
  const std::string manager = real ? base_name(real->path) : std::string();
  if (manager != name && (manager == "volta-shim" || manager == "snap"))
    return ShimTarget{.problem = name + " is started by " + manager + ", which cannot run inside"};
  return follow_rustup(program, name, facts);
}

}  // namespace sbx::os
