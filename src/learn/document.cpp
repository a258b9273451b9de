#include "learn/document.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace sbx::learn {

Document::Node& Document::at(std::string_view key) {
  Node* node = &root_;
  for (const std::string_view name : split(key, '.')) {
    auto found = std::ranges::find(node->children, name, &Node::name);
    if (found == node->children.end())
      found = node->children.insert(found, Node{.name = std::string(name)});
    node = &*found;
  }
  return *node;
}

void Document::set(std::string_view key, std::string_view yaml) { at(key).value = yaml; }

void Document::add(std::string_view key, std::string_view yaml, std::string_view remark) {
  std::vector<Entry>& entries = at(key).entries;
  if (std::ranges::find(entries, yaml, &Entry::yaml) == entries.end())
    entries.push_back({std::string(yaml), std::string(remark)});
}

void Document::write(const Node& node, std::size_t depth, std::string& out) {
  const std::string indent(2 * depth, ' ');
  out += indent + node.name + ":";
  if (!node.value.empty()) out += " " + node.value;
  out += '\n';
  for (const Entry& entry : node.entries) {
    out += indent + "  - " + entry.yaml;
    if (!entry.remark.empty()) out += "  # " + entry.remark;
    out += '\n';
  }
  for (const Node& child : node.children) write(child, depth + 1, out);
}

std::string Document::text() const {
  std::string out;
  for (const Node& child : root_.children) write(child, 0, out);
  return out;
}

}  // namespace sbx::learn
