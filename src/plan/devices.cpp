// A /dev of our own: a few nodes of the host's, its own terminals, and nothing else.
#include "plan/builder.hpp"
#include "plan/tree.hpp"
#include "profile/own_devices.hpp"

namespace sbx::plan {
namespace {

struct Node {
  std::string path;
  const char* reason;
  std::string key;
};

std::vector<Node> nodes(const Builder& b) {
  std::vector<Node> all;
  all.reserve(profile::kOwnNodes.size() + b.profile.devices.size());
  for (const std::string_view path : profile::kOwnNodes)
    all.push_back({std::string(path), "a node that programs need", ""});
  for (std::size_t i = 0; i < b.profile.devices.size(); ++i) {
    const std::string& name = b.profile.devices[i];
    all.push_back({name.starts_with('/') ? name : "/dev/" + name, "named in the profile",
                   "devices[" + std::to_string(i) + "]"});
  }
  return all;
}

}  // namespace

Result<void> plan_devices(Builder& b, Tree& tree) {
  // A folder of the root, which is sealed and has no devices; each node is a mount of its own.
  SBX_CHECK(tree.make_mount_point("/dev", true, "devices", ""));
  for (const profile::OwnLink& link : profile::kOwnLinks)
    SBX_CHECK(
        tree.make_symlink(std::string(link.path), std::string(link.text), "where programs look"));
  SBX_CHECK(tree.make_mount_point("/dev/pts", true, "terminals", ""));
  const std::vector<Node> all = nodes(b);
  for (const Node& node : all)
    SBX_CHECK(tree.make_mount_point(node.path, false, node.reason, node.key));
  for (const Node& node : all)
    b.add(Phase::init, BindDevice{node.path, node.path}, node.reason, node.key);
  b.add(Phase::init, MountDevpts{"/dev/pts"}, "terminals of its own");
  tree.cover_foreign("/dev/pts");
  return {};
}

}  // namespace sbx::plan
