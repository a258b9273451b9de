// Checks of everything that names a place in the sandbox's tree.
#include <algorithm>
#include <array>
#include <map>

#include "base/ascii.hpp"
#include "base/lexical_path.hpp"
#include "base/path_pattern.hpp"
#include "base/text.hpp"
#include "profile/checks.hpp"
#include "profile/decode.hpp"
#include "profile/own_devices.hpp"

namespace sbx::profile {
namespace {

const std::string& target_of(const Mount& mount) {
  return std::visit([](const auto& what) -> const std::string& { return what.target; }, mount.what);
}

void check_mount_targets(const Checker& c) {
  const bool queues = std::ranges::any_of(c.profile().devices, names_queues);
  std::map<std::string_view, const Mount*> seen;
  for (const Mount& mount : c.profile().mounts) {
    const std::string& target = target_of(mount);
    std::string problem = target_problem(target);
    if (queues && problem.empty() && is_below(target, kQueues))
      problem = "lies in /dev/mqueue, where `devices` has message queues";
    if (!problem.empty()) {
      c.complain_at(mount.origin, "the mount's target `" + printable(target, 80) + "` " + problem);
      continue;
    }
    const auto [first, fresh] = seen.emplace(target, &mount);
    if (!fresh) {
      c.complain_at(mount.origin, "two mounts have the target `" + printable(target, 80) + "`",
                    "the other one is at " + first->second->origin.to_string());
    }
    const Workspace& workspace = c.profile().workspace;
    if (workspace.mode != WorkspaceMode::none && target == clean_path(workspace.at)) {
      c.complain_at(mount.origin,
                    "the mount's target `" + printable(target, 80) + "` is the workspace's place",
                    "give the workspace another `at`, or `mode: none`");
    }
  }
}

/// "/a" of "/a/b"; empty above that, and of what is no absolute path, which its own check refuses.
std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

void check_mounts_below_files(const Checker& c) {
  std::map<std::string_view, const Mount*> files;
  for (const Mount& mount : c.profile().mounts)
    if (std::holds_alternative<FileMount>(mount.what)) files.emplace(target_of(mount), &mount);
  if (files.empty()) return;
  for (const Mount& mount : c.profile().mounts) {
    std::string_view above = folder_of(target_of(mount));
    while (!above.empty() && !files.contains(above)) above = folder_of(above);
    const auto file = files.find(above);
    if (file == files.end()) continue;
    c.complain_at(mount.origin,
                  "the mount's target `" + printable(target_of(mount), 80) +
                      "` lies below the file `" + printable(above, 80) + '`',
                  "the file is from " + file->second->origin.to_string());
  }
}

void check_tmpfs_sizes(const Checker& c) {
  for (const Mount& mount : c.profile().mounts) {
    const auto* tmpfs = std::get_if<TmpfsMount>(&mount.what);
    if (tmpfs == nullptr) continue;
    // tmpfs(5): 0 means without limit, the opposite of what one would read in it.
    if (tmpfs->size < 4096) c.complain_at(mount.origin, "a tmpfs needs a size of at least 4K");
    if (tmpfs->inodes == 0) c.complain_at(mount.origin, "a tmpfs needs at least one inode");
    // The kernel counts them, and the bytes that they take, in 64 bits (fs/shmem.c).
    constexpr std::uint64_t kMostInodes = 1'000'000'000;
    if (tmpfs->inodes > kMostInodes)
      c.complain_at(mount.origin, "a tmpfs has at most 1000000000 inodes");
  }
}

void check_workspace_place(const Checker& c) {
  const Workspace& workspace = c.profile().workspace;
  if (workspace.source.empty()) c.complain("workspace.source", "`workspace.source` is empty");
  std::string problem = target_problem(clean_path(workspace.at));
  constexpr std::array<std::string_view, 9> kSystem{"/usr",   "/etc",   "/bin", "/sbin", "/lib",
                                                    "/lib32", "/lib64", "/sys", "/dev"};
  for (const std::string_view top : kSystem) {
    if (problem.empty() && is_below(clean_path(workspace.at), top))
      problem = "lies in " + std::string(top) + ", which holds the system";
  }
  if (!problem.empty())
    c.complain("workspace.at", "`workspace.at`: `" + printable(workspace.at, 80) + "` " + problem);
}

/// `keep` and `size` speak of an overlay; a later layer that only changes the mode may leave them
/// behind. No layer is later than a flag.
void check_overlay_keys(const Checker& c) {
  if (c.profile().workspace.mode == WorkspaceMode::overlay) {
    if (c.profile().workspace.size < 65536)
      c.complain("workspace.size", "`workspace.size` must be at least 64K");
    return;
  }
  const Origin* mode = c.origin("workspace.mode");
  for (const char* key : {"workspace.keep", "workspace.size"}) {
    const Origin* written = c.origin(key);
    if (written == nullptr) continue;
    const bool by_flag = written->file.starts_with("--");
    if (!by_flag && mode != nullptr && mode->file != written->file) continue;
    c.complain(key, '`' + std::string(key) + "` means something with `mode: overlay` only",
               "set `workspace.mode: overlay`, or remove it");
  }
}

/// A read-only workspace keeps all of it anyway: who asks for more has meant another mode.
void check_git(const Checker& c) {
  const Workspace& workspace = c.profile().workspace;
  const bool writable =
      workspace.mode == WorkspaceMode::rw || workspace.mode == WorkspaceMode::overlay;
  const Origin* written = c.origin("workspace.git");
  const Origin* mode = c.origin("workspace.mode");
  // What the command has made of a git folder in an overlay, nobody has looked at: applied, it
  // would be there without the watch that a writable workspace has.
  if (workspace.git == GitMode::protect && workspace.mode == WorkspaceMode::overlay &&
      workspace.keep != Keep::none)
    c.complain("workspace.git", "`workspace.git: protect` does not go with `workspace.keep`",
               "leave one of them out; `mode: rw` with `git: protect` changes the folder itself");
  if (workspace.git == GitMode::none || writable || written == nullptr) return;
  if (mode != nullptr && mode->file != written->file) return;  // as for the keys above
  c.complain("workspace.git",
             "`workspace.git: protect` means something with `mode: rw` or "
             "`mode: overlay` only",
             "set `workspace.mode: rw`, or remove it");
}

void check_root(const Checker& c) {
  const Root& root = c.profile().root;
  const bool folder = root.kind == RootKind::dir || root.kind == RootKind::oci;
  if (folder && root.path == "/")
    c.complain("root", "`root` cannot be the host's `/`",
               "`root: host` shows the parts of it that programs need");
  if (folder && !root.path.empty() && root.path.front() != '/')
    c.complain("root", "`root`: `" + printable(root.path, 80) + "` must be absolute here");
  if (root.kind == RootKind::oci && root.max < 65536)
    c.complain("root.max", "`root.max` must be at least 64K");
}

void check_workdir(const Checker& c) {
  const std::optional<std::string>& workdir = c.profile().workdir;
  if (!workdir) return;
  const std::string problem = path_problem(*workdir);
  if (!problem.empty())
    c.complain("workdir", "`workdir`: `" + printable(*workdir, 80) + "` " + problem);
}

std::string pattern_problem(std::string_view pattern) {
  if (std::string problem = path_problem(pattern); !problem.empty()) return problem;
  if (clean_path(pattern) == "/") return "cannot be all of `/`";
  const std::vector<std::string_view> names = split(pattern, '/');
  const bool mixed = std::ranges::any_of(names, [](std::string_view name) {
    return name != "**" && name.find("**") != std::string_view::npos;
  });
  if (mixed) return "has a `**` that is no name of its own; for folders of any depth write `/**/`";
  if (!PathPattern(pattern).valid())
    return "has more than " + std::to_string(PathPattern::kMaxParts) + " names";
  return "";
}

std::string place_inside(std::string pattern) {
  if (pattern.starts_with("./")) pattern.erase(0, 2);
  if (pattern.starts_with("workspace/")) return "a place inside is meant: `/" + pattern + "`";
  std::string advice = "a place inside is meant: `/workspace/";
  advice += pattern;
  advice += "`, or `/workspace/**/";
  advice += pattern;
  return advice += "` at any depth";
}

void check_patterns(const Checker& c, std::string_view key,
                    const std::vector<std::string>& patterns) {
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const std::string problem = pattern_problem(patterns[i]);
    if (problem.empty()) continue;
    const bool relative = !patterns[i].empty() && patterns[i].front() != '/';
    c.complain(Checker::item(key, i),
               '`' + std::string(key) + "`: `" + printable(patterns[i], 80) + "` " + problem,
               relative ? place_inside(printable(patterns[i], 80)) : "");
  }
}

void check_mask(const Checker& c) {
  const std::vector<std::string>& mask = c.profile().mask;
  check_patterns(c, "mask", mask);
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (clean_path(mask[i]) == "/dev")
      c.complain(Checker::item("mask", i), "`mask`: `/dev` belongs to the sandbox, which needs it",
                 "it has nothing of the host's but a few harmless nodes, and `devices`");
}
constexpr std::uint64_t kMostArtifacts = 100'000;

void check_artifacts(const Checker& c) {
  check_patterns(c, "artifacts.collect", c.profile().artifacts.collect);
  if (c.profile().artifacts.ttl == Duration{0})
    c.complain("artifacts.ttl", "`artifacts.ttl` must be longer than 0");
  if (c.profile().artifacts.ttl.value_or(Duration{0}) > kLongestTime)
    c.complain("artifacts.ttl", "`artifacts.ttl` is longer than a hundred years",
               "write none to keep them until somebody removes them");
  if (c.profile().artifacts.max_files == 0 || c.profile().artifacts.max_files > kMostArtifacts)
    c.complain("artifacts.max_files", "`artifacts.max_files` must be from 1 to 100000");
}

void check_tools(const Checker& c) {
  const auto& tools = c.profile().tools;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const std::string_view name = tool_name(tools[i]);
    const auto ordinary = [](char ch) {
      return is_alnum(ch) || std::string_view{"+-._"}.find(ch) != std::string_view::npos;
    };
    if (!name.empty() && name.front() != '-' && name.front() != '.' &&
        std::ranges::all_of(name, ordinary))
      continue;
    c.complain(Checker::item("tools", i), "`" + printable(tools[i], 60) + "` is no tool's name",
               "write a program's name such as python3 (`python3?` when it may be missing); "
               "folders belong under `mounts`");
  }
}

/// A link or a folder of a sandbox's own /dev, where there could be no node.
bool is_of_sandbox(std::string_view path) {
  return is_below(path, "/dev/shm") || std::ranges::any_of(kOwnLinks, [path](const OwnLink& link) {
           return is_below(path, link.path);
         });
}

void check_devices(const Checker& c) {
  const auto& devices = c.profile().devices;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    std::string_view name = devices[i];
    if (name.starts_with("/dev/")) name.remove_prefix(5);
    const bool path = !name.empty() && path_problem('/' + std::string(name)).empty() &&
                      clean_path(name) == name && !is_below(name, "pts");
    if (!path || name.front() == '/') {
      c.complain(Checker::item("devices", i), "`" + printable(devices[i], 60) + "` is no device",
                 "write a node's name below /dev, such as fuse or net/tun");
    } else if (is_of_sandbox("/dev/" + std::string(name))) {
      c.complain(Checker::item("devices", i),
                 "`" + printable(devices[i], 60) + "` is something else in every sandbox",
                 "/dev has it already; remove the entry");
    }
  }
}

constexpr Check kChecks[] = {
    {"mount targets", check_mount_targets},
    {"mounts below files", check_mounts_below_files},
    {"tmpfs sizes", check_tmpfs_sizes},
    {"workspace place", check_workspace_place},
    {"overlay keys", check_overlay_keys},
    {"git", check_git},
    {"root", check_root},
    {"workdir", check_workdir},
    {"mask", check_mask},
    {"tools", check_tools},
    {"devices", check_devices},
    {"artifacts", check_artifacts},
};

}  // namespace

std::span<const Check> file_checks() { return kChecks; }

}  // namespace sbx::profile
