// Decides what to show of an installed program. The rule is to show one installation and never a
// folder that holds more: a home, what is above it, ~/.local, ~/.cargo. Only reads.
#include "os/tools_install.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"
#include "os/tools_path.hpp"
#include "os/tools_word.hpp"

namespace sbx::os {
namespace {

constexpr std::array<std::string_view, 8> kHostRoot = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives"};
constexpr std::array<std::string_view, 6> kUsualPath = {
    "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"};
/// What lies beside `bin` (or beside the program) in an installation, and not in a folder of
/// scripts.
constexpr std::array<const char*, 9> kSigns = {"lib",        "lib64",        "libexec",
                                               "share",      "include",      "pyvenv.cfg",
                                               "conda-meta", "package.json", "release"};

/// What a script of anybody's may name as `env NAME`: the caller's own of that name.
constexpr std::array<std::string_view, 16> kInterpreters = {
    "sh",   "bash", "zsh",  "fish", "python", "python3", "node",  "nodejs",
    "deno", "bun",  "ruby", "perl", "php",    "lua",     "tclsh", "Rscript"};

constexpr int kMaxDepth = 4;  // a script, its venv, the venv's base, and one to spare

bool looks_installed(const std::string& prefix) {
  return std::ranges::any_of(kSigns, [&](auto sign) { return exists(join_path(prefix, sign)); });
}

std::size_t depth_of(std::string_view path) {
  return path == "/" ? 0 : static_cast<std::size_t>(std::ranges::count(path, '/'));
}

/// Folders that hold more than one installation, whatever lies in them.
bool too_wide(const std::string& folder, const HostFacts& facts) {
  if (depth_of(folder) < 2) return true;  // "/", "/opt", "/srv", "/root" ...
  if (parent_of(folder) == "/home") return true;
  const auto home = resolve_path(facts.home);
  if (!home || home->path == "/") return false;
  if (is_at_or_below(home->path, folder)) return true;
  // ~/.local, ~/.cargo, ~/.ssh, ~/bin ...: a folder of the user's, not an installation. One that
  // says so itself (a virtual environment, conda) is.
  if (parent_of(folder) != home->path) return false;
  if (exists(folder + "/pyvenv.cfg") || exists(folder + "/conda-meta")) return false;
  const std::string name = base_name(folder);
  return name.starts_with('.') || name == "bin" || name == "go" ||
         folder == env_of(facts, "GOPATH");
}

// ---- what a word of the input may show

void refuse_word(const Word& word, const std::string& what, ToolInstallation& tool) {
  if (!tool.problem.empty()) return;
  tool.problem =
      word.place + " leads to " + what +
      ", and the sandbox works on the folder that it lies in: nothing in there says what "
      "else of the host is shown";
  tool.advice = "look who has put that there; if it is to be shown, add --ro " + quote(what);
}

// ---- what a kind of installation needs besides its files

void add_env(const std::string& prefix, const std::string& program, ToolInstallation& tool) {
  if (exists(prefix + "/conda-meta")) tool.env.try_emplace("CONDA_PREFIX", prefix);
  if (exists(prefix + "/lib/modules") && exists(prefix + "/release"))  // a JDK since Java 9
    tool.env.try_emplace("JAVA_HOME", prefix);
  if (exists(prefix + "/pkg/tool") && exists(prefix + "/VERSION") &&
      (base_name(program) == "go" || base_name(program) == "gofmt"))
    tool.env.try_emplace("GOROOT", prefix);
}

bool is_covered(const std::string& path, const ToolInstallation& tool) {
  return host_root_shows(path) || std::ranges::any_of(tool.trees, [&](const RootEntry& tree) {
           return is_at_or_below(path, tree.path);
         });
}

/// False: nobody but the caller may have it shown.
bool add_tree(const std::string& tree, const Word& word, const HostFacts& facts,
              ToolInstallation& tool) {
  if (is_covered(tree, tool)) return true;
  if (!may_show(tree, word, facts)) {
    refuse_word(word, tree, tool);
    return false;
  }
  std::erase_if(tool.trees, [&](const RootEntry& old) { return is_at_or_below(old.path, tree); });
  tool.trees.push_back({tree, is_folder(tree) ? EntryType::directory : EntryType::file, tree});
  return true;
}

void add_path(const std::string& folder, ToolInstallation& tool) {
  const bool usual = std::ranges::find(kUsualPath, folder) != kUsualPath.end();
  if (!usual && std::ranges::find(tool.path, folder) == tool.path.end())
    tool.path.push_back(folder);
}

/// Links on the way that no tree brings along. Never one that home or the caller's folder lies
/// below: other parts of the plan make real folders there.
void add_links(const std::vector<PathLink>& links, const HostFacts& facts, ToolInstallation& tool) {
  for (const PathLink& link : links) {
    if (is_covered(link.path, tool) || depth_of(link.path) < 2) continue;
    if (is_at_or_below(facts.home, link.path) || is_at_or_below(facts.cwd, link.path)) continue;
    tool.trees.push_back({link.path, EntryType::symlink, {}, link.text});
  }
}

// ---- virtual environments and scripts

void expose(const std::string& program, bool on_path, int depth, const Word& before,
            const HostFacts& facts, ToolInstallation& tool);

/// The virtual environment that `program` belongs to by where it lies, before its links are
/// followed: a venv's python is a link to its base.
std::string venv_of(const std::string& program) {
  const auto folder = resolve_path(parent_of(program));
  if (!folder || folder->path == "/") return {};
  std::string venv = parent_of(folder->path);
  if (!exists(venv + "/pyvenv.cfg")) venv.clear();
  return venv;
}

void expose_venv(const std::string& venv, int depth, const Word& before, const HostFacts& facts,
                 ToolInstallation& tool) {
  if (is_covered(venv, tool) || !add_tree(venv, before, facts, tool)) return;
  for (const char* name : {"python", "python3"}) {
    const std::string python = venv + "/bin/" + name;
    const auto real = resolve_path(python);
    if (!real) continue;
    add_links(real->links, facts, tool);
    // The base, which has the standard library.
    expose(real->path, false, depth + 1, word_of(before, real->links, facts), facts, tool);
    return;
  }
}

/// The interpreter in a script's first line: "#!/path [argument]", or "#!/usr/bin/env [-S] NAME".
void expose_interpreter(const std::string& script, int depth, const Word& before,
                        const HostFacts& facts, ToolInstallation& tool) {
  const std::optional<std::string> text = read_small_file(script);
  if (!text || !text->starts_with("#!")) return;
  std::string_view rest = std::string_view(*text).substr(2);
  std::string_view line = take_line(rest);
  const auto take_word = [&line] {
    const std::size_t end = std::min(line.size(), line.find_first_of(" \t"));
    std::string word(line.substr(0, end));
    line = trim(line.substr(end));
    return word;
  };
  const Word word = word_of(before, script, facts);
  const std::string interpreter = take_word();
  if (base_name(interpreter) != "env") {
    if (interpreter.starts_with('/') && is_program(interpreter))
      expose(interpreter, false, depth + 1, word, facts, tool);
    return;
  }
  std::string name = take_word();
  while (name.starts_with('-') || name.contains('=')) name = take_word();
  if (name.empty() || name.contains('/')) return;
  // A venv's own script names its interpreter absolutely, so `env` means the caller's PATH.
  const auto found = search_path(name, facts);
  if (!found) return;
  const bool trusted = std::ranges::find(kInterpreters, name) != kInterpreters.end();
  expose(*found, true, depth + 1, trusted ? Word{} : word, facts, tool);
}

void expose(const std::string& program, bool on_path, int depth, const Word& before,
            const HostFacts& facts, ToolInstallation& tool) {
  const auto folder = resolve_path(parent_of(program));
  const auto real = resolve_path(program);
  if (depth > kMaxDepth || !folder || !real) return;
  const Word word = word_of(before, real->links, facts);
  const std::string here = join_path(folder->path, base_name(program));

  std::string venv = venv_of(here);
  for (const PathLink& link : real->links) {
    if (venv.empty()) venv = venv_of(link.path);
  }
  if (!venv.empty()) {
    expose_venv(venv, depth, word, facts, tool);
    // Only for its python: a program that merely lives in one (pipx) must not lend its own to
    // others.
    if (depth == 0 && base_name(program).starts_with("python"))
      tool.env.try_emplace("VIRTUAL_ENV", venv);
  }

  // npm's bin/NAME links into lib/node_modules: the prefix of the link, when it holds the target
  // too.
  const std::string outer = installation_of(here, facts);
  const bool holds_both = outer != here && is_at_or_below(real->path, outer);
  const std::string installation = holds_both ? outer : installation_of(real->path, facts);
  if (!add_tree(installation, word, facts, tool)) return;
  add_env(installation, real->path, tool);
  expose_interpreter(real->path, depth, word, facts, tool);
  add_links(real->links, facts, tool);
  if (on_path) add_path(folder->path, tool);
}

}  // namespace

bool host_root_shows(std::string_view path) {
  return std::ranges::any_of(kHostRoot, [path](auto top) { return is_at_or_below(path, top); });
}

std::string installation_of(const std::string& program, const HostFacts& facts) {
  if (const std::string_view store = store_of(program); !store.empty()) return std::string(store);
  const std::string folder = parent_of(program);
  const std::string name = base_name(folder);
  const bool in_bin = name == "bin" || name == "sbin";
  std::string prefix = in_bin ? parent_of(folder) : folder;
  if (too_wide(prefix, facts)) return program;
  // What an administrator puts below /opt is one installation a folder; elsewhere it has to show.
  if (is_at_or_below(prefix, "/opt") || looks_installed(prefix)) return prefix;
  return program;
}

void expose_program(const std::string& program, bool on_path, const HostFacts& facts,
                    ToolInstallation& tool) {
  expose(program, on_path, 0, {}, facts, tool);
  if (tool.problem.empty()) return;
  tool.trees.clear();
  tool.path.clear();
  tool.env.clear();
}

}  // namespace sbx::os
