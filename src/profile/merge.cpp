// One layer of a profile over those before it.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "profile/layering.hpp"

namespace sbx::profile {
namespace {

void merge_at(Node& base, Node over, bool top) {
  if (over.replace || base.kind != over.kind) {
    base = std::move(over);
    return;
  }
  if (over.kind == NodeKind::list) {
    std::ranges::move(over.children, std::back_inserter(base.children));
    base.at = std::move(over.at);
    base.key_at = std::move(over.key_at);
    return;
  }
  if (over.kind != NodeKind::map) {
    base = std::move(over);
    return;
  }
  for (Node& child : over.children) {
    Node* below = base.find(child.key);
    // A command is one value: two of them appended would be no command.
    if (below != nullptr && top && child.key == "command") {
      *below = std::move(child);
    } else if (below != nullptr) {
      merge_at(*below, std::move(child), false);
    } else {
      base.children.push_back(std::move(child));
    }
  }
}

/// Of flags that say one thing each, the order is nobody's concern.
bool is_own_flag(const Node* node) {
  return node != nullptr && node->at.file.starts_with("--set root.");
}

/// A root is a folder or an image: a layer that names one takes the place of the other, and of what
/// was said of another image but its limit.
void leave_other_root(Node& base, const Node& over) {
  Node* const root = base.find("root");
  const Node* const wanted = over.find("root");
  if (root == nullptr || wanted == nullptr || wanted->find("dir") == wanted->find("oci")) return;
  for (const std::string_view key : {"dir", "oci"}) root->remove(key);
  if (!is_own_flag(root->find("ref"))) root->remove("ref");
  if (wanted->find("dir") != nullptr && !is_own_flag(root->find("max"))) root->remove("max");
  root->at = wanted->at;
  root->key_at = wanted->key_at;
}

/// Of one file `env.set` wins over `env.pass`; what a layer passes on wins over those before it.
void leave_set_variables(Node& base, const Node& over) {
  Node* const env = base.find("env");
  Node* const set = env == nullptr ? nullptr : env->find("set");
  const Node* const wanted = over.find("env");
  const Node* const passed = wanted == nullptr ? nullptr : wanted->find("pass");
  if (set == nullptr || passed == nullptr) return;
  for (const Node& name : passed->children) set->remove(name.text);
}

}  // namespace

void merge(Node& base, Node over) {
  leave_other_root(base, over);
  leave_set_variables(base, over);
  merge_at(base, std::move(over), true);
}

}  // namespace sbx::profile
