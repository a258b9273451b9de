// A /dev of our own: a few nodes of the host's, its own terminals, and nothing else.
#include <array>

#include "plan/builder.hpp"
#include "plan/tree.hpp"

namespace sbx::plan {
namespace {

constexpr std::array kNodes{"null", "zero", "full", "random", "urandom", "tty"};
struct Link {
  const char* path;
  const char* text;
};
constexpr std::array kLinks{Link{"/dev/fd", "/proc/self/fd"}, Link{"/dev/stdin", "/proc/self/fd/0"},
                            Link{"/dev/stdout", "/proc/self/fd/1"},
                            Link{"/dev/stderr", "/proc/self/fd/2"}, Link{"/dev/ptmx", "pts/ptmx"}};
constexpr std::uint64_t kDevSize = 1U << 20U;

Result<void> add_node(Builder& b, Tree& tree, const std::string& path, const std::string& reason,
                      const std::string& key) {
  SBX_CHECK(tree.make_mount_point(path, false, reason, key));
  b.add(Phase::init, BindDevice{path, path}, reason, key);
  return {};
}

}  // namespace

Result<void> plan_devices(Builder& b, Tree& tree) {
  SBX_CHECK(tree.make_mount_point("/dev", true, "devices", ""));
  b.add(Phase::init, MountTmpfs{"/dev", kDevSize, 512, 0755, {.read_only = false, .no_exec = true}},
        "devices");
  tree.cover_own("/dev");
  for (const char* node : kNodes)
    SBX_CHECK(add_node(b, tree, std::string("/dev/") + node, "a node that programs need", ""));
  for (std::size_t i = 0; i < b.profile.devices.size(); ++i) {
    const std::string& name = b.profile.devices[i];
    const std::string path = name.starts_with('/') ? name : "/dev/" + name;
    SBX_CHECK(
        add_node(b, tree, path, "named in the profile", "devices[" + std::to_string(i) + "]"));
  }
  for (const Link& link : kLinks)
    SBX_CHECK(tree.make_symlink(link.path, link.text, "where programs look"));
  SBX_CHECK(tree.make_mount_point("/dev/pts", true, "terminals", ""));
  b.add(Phase::init, MountDevpts{"/dev/pts"}, "terminals of its own");
  tree.cover_foreign("/dev/pts");
  return {};
}

}  // namespace sbx::plan
