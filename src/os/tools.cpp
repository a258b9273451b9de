// Finds the profile's `tools:` where the caller's shell would, and what of the host they need, by
// reading only: nothing that is found is run. Runs in the supervisor.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/text.hpp"
#include "os/probe.hpp"
#include "os/tools_install.hpp"
#include "os/tools_path.hpp"
#include "os/tools_shims.hpp"

namespace sbx::os {
namespace {

/// nvm is a shell function: a caller that did not load it has its node in no PATH. The default is
/// alias/default, which holds a version's beginning ("20") or another alias ("lts/iron").
std::string nvm_program(const std::string& name, const HostFacts& facts) {
  std::string root = env_of(facts, "NVM_DIR");
  if (root.empty()) root = join_path(facts.home, ".nvm");
  std::string wanted = "default";
  constexpr int kAliases = 5;
  for (int i = 0; i < kAliases && !wanted.contains(".."); ++i) {
    const auto text = read_small_file(join_path({root, "alias", wanted}));
    if (!text) break;
    wanted = trim(*text);
  }
  if (wanted == "default" || wanted.empty()) return {};
  if (!wanted.starts_with('v')) wanted.insert(0, "v");
  const bool newest = wanted == "vnode" || wanted == "vstable";
  std::string best;
  for (const std::string& version : names_in(root + "/versions/node")) {
    const bool fits = newest || version == wanted || version.starts_with(wanted + ".");
    if (fits && strverscmp(version.c_str(), best.c_str()) > 0) best = version;
  }
  if (best.empty()) return {};
  return join_path({root, "versions/node", best, "bin", name});
}

/// Where else a tool may be that is on no PATH: in what the caller's variables point at.
std::string beside_path(const std::string& name, const HostFacts& facts) {
  constexpr std::array kPrefixes = {"VIRTUAL_ENV", "CONDA_PREFIX", "JAVA_HOME", "GOROOT"};
  for (const char* variable : kPrefixes) {
    const std::string prefix = env_of(facts, variable);
    std::string program = join_path({prefix, "bin", name});
    if (prefix.starts_with('/') && is_program(program)) return program;
  }
  std::string program = nvm_program(name, facts);
  if (!is_program(program)) program.clear();
  return program;
}

std::string locate(const std::string& name, const HostFacts& facts) {
  if (name.contains('/')) {
    std::string program = name.starts_with('/') ? name : join_path(facts.cwd, name);
    if (!is_program(program)) program.clear();
    return program;
  }
  if (auto found = search_path(name, facts)) return *found;
  return beside_path(name, facts);
}

/// Another root than the host's does not have the host's /usr, and a tool of it cannot run there.
bool root_lacks_host_programs(const HostFacts& facts) {
  return std::ranges::none_of(facts.root_entries,
                              [](const RootEntry& entry) { return entry.source == "/usr"; });
}

/// What to do where `root_lacks_host_programs`.
constexpr const char* kOwnOfRoot =
    "leave it out if the root or a mount has one of its own, use --root host";

}  // namespace

ToolInstallation find_tool(const std::string& name, const HostFacts& facts) {
  ToolInstallation tool{.name = name, .trees = {}, .path = {}};
  std::string wanted = name;
  if (wanted.ends_with('?')) wanted.pop_back();  // optional: what that means is the plan's business
  if (wanted.empty() || wanted.contains('\0') || wanted == "." || wanted == "..") {
    tool.problem = "a tool needs the name of a program";
    return tool;
  }
  std::string program = locate(wanted, facts);
  if (program.empty()) {
    tool.problem = wanted.contains('/') ? wanted + " is not an executable file"
                                        : wanted + " was not found in PATH";
    if (root_lacks_host_programs(facts)) {
      tool.advice = "install it on PATH, outside of /usr, which this root does not show, ";
      tool.advice += kOwnOfRoot;
    }
    return tool;
  }
  constexpr int kShims = 4;  // pyenv's "system" may lead to another manager's shim
  for (int i = 0; i < kShims; ++i) {
    const auto target = follow_shim(program, base_name(wanted), facts);
    if (!target) break;
    if (!target->problem.empty()) {
      tool.problem = target->problem;
      tool.advice = "put the folder of the program that is meant in front of PATH";
      return tool;
    }
    program = target->program;
  }
  if (root_lacks_host_programs(facts)) {
    const auto real = resolve_path(program);
    if (real && host_root_shows(real->path)) {
      tool.problem = wanted + " is " + real->path + " on the host, which this root does not show";
      tool.advice = kOwnOfRoot;
      return tool;
    }
  }
  expose_program(program, true, facts, tool);
  return tool;
}

}  // namespace sbx::os
