// A /dev of our own: a few nodes of the host's, its own terminals, and nothing else.
#include "plan/devices.hpp"

#include <algorithm>
#include <iterator>

#include "plan/mount_parts.hpp"
#include "plan/tree.hpp"
#include "profile/own_devices.hpp"

namespace sbx::plan {
namespace {

constexpr std::string_view kOfGpu = "for the graphics processor";

void add_node(std::vector<Node>& nodes, std::string path, std::string_view reason,
              const std::string& key) {
  if (std::ranges::find(nodes, path, &Node::path) == nodes.end())
    nodes.push_back({std::move(path), reason, key});
}

Result<void> add_gpu(const Builder& b, const std::string& key, std::vector<Node>& nodes) {
  const GpuFacts gpu =
      b.facts.gpu.value_or(GpuFacts{.problem = "nobody has looked for a graphics processor"});
  for (const std::string& path : gpu.nodes) add_node(nodes, path, kOfGpu, key);
  if (gpu.problem.empty()) return {};
  return std::unexpected(Error{.kind = ErrorKind::host,
                               .what = gpu.problem,
                               .where = b.origin_of(key).to_string(),
                               .hint = gpu.advice});
}

std::string key_of(std::size_t index) { return "devices[" + std::to_string(index) + "]"; }

}  // namespace

std::string queues_key(const Builder& b) {
  const auto at = std::ranges::find_if(b.profile.devices, profile::names_queues);
  if (at == b.profile.devices.end()) return "";
  return key_of(static_cast<std::size_t>(at - b.profile.devices.begin()));
}

Result<std::vector<Node>> named_nodes(const Builder& b) {
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < b.profile.devices.size(); ++i) {
    const std::string& name = b.profile.devices[i];
    if (name == profile::kGpu)
      SBX_CHECK(add_gpu(b, key_of(i), nodes));
    else if (!profile::names_queues(name))
      add_node(nodes, name.starts_with('/') ? name : "/dev/" + name, "named in the profile",
               key_of(i));
  }
  return nodes;
}

Result<void> plan_devices(Builder& b, Tree& tree) {
  // A folder of the root, which is sealed and has no devices; each node is a mount of its own.
  SBX_CHECK(tree.make_mount_point("/dev", true, "devices", ""));
  for (const profile::OwnLink& link : profile::kOwnLinks)
    SBX_CHECK(
        tree.make_symlink(std::string(link.path), std::string(link.text), "where programs look"));
  SBX_CHECK(tree.make_mount_point("/dev/pts", true, "terminals", ""));
  std::vector<Node> all;
  all.reserve(profile::kOwnNodes.size() + b.profile.devices.size());
  for (const std::string_view path : profile::kOwnNodes)
    all.push_back({std::string(path), "a node that programs need", ""});
  std::ranges::move(SBX_TRY(named_nodes(b)), std::back_inserter(all));
  for (const Node& node : all)
    SBX_CHECK(tree.make_mount_point(node.path, false, node.reason, node.key));
  for (const Node& node : all)
    b.add(Phase::init, BindDevice{node.path, node.path}, node.reason, node.key);
  b.add(Phase::init, MountDevpts{"/dev/pts"}, "terminals of its own");
  tree.cover_foreign("/dev/pts");
  const std::string queues = queues_key(b);
  if (queues.empty()) return {};
  const std::string at(profile::kQueues);
  SBX_CHECK(tree.make_mount_point(at, true, "message queues", queues));
  b.add(Phase::init, MountQueues{at}, "message queues of its own", queues);
  tree.cover_foreign(at);
  return {};
}

Result<void> plan_gpu(Builder& b, Tree& tree) {
  if (!b.facts.gpu) return {};
  const auto at = std::ranges::find(b.profile.devices, profile::kGpu);
  const std::string key = key_of(static_cast<std::size_t>(at - b.profile.devices.begin()));
  return add_trees(b, tree, b.facts.gpu->trees, std::string(kOfGpu), key);
}

}  // namespace sbx::plan
