#include "learn/document.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace sbx::learn {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::vector<std::string> flow_entries(std::string_view yaml) {
  yaml = trimmed(yaml);
  std::vector<std::string> entries;
  if (!yaml.starts_with('[') || !yaml.ends_with(']')) return entries;
  yaml = yaml.substr(1, yaml.size() - 2);
  int depth = 0;
  char quoted = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= yaml.size(); ++i) {
    const char c = i < yaml.size() ? yaml[i] : ',';
    if (quoted != 0) {
      if (c == '\\' && quoted == '"') ++i;
      if (c == quoted) quoted = 0;
    } else if (c == '"' || c == '\'') {
      quoted = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && (depth == 0 || i == yaml.size())) {
      const std::string_view entry = trimmed(yaml.substr(begin, i - begin));
      if (!entry.empty()) entries.emplace_back(entry);
      begin = i + 1;
    }
  }
  return entries;
}

void Document::add(std::string_view key, std::string_view yaml, std::string_view remark) {
  Node* node = &root_;
  for (const std::string_view name : split(key, '.')) {
    auto found = std::ranges::find(node->children, name, &Node::name);
    if (found == node->children.end())
      found = node->children.insert(found, Node{.name = std::string(name)});
    node = &*found;
  }
  const std::vector<std::string> entries = flow_entries(yaml);
  if (entries.empty()) node->value = yaml;
  for (const std::string& entry : entries)
    if (std::ranges::find(node->entries, entry, &Entry::yaml) == node->entries.end())
      node->entries.push_back({entry, std::string(remark)});
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
