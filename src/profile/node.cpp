// Look-up in nodes, and the order in which problems are reported.
#include "profile/node.hpp"

#include <algorithm>
#include <tuple>

namespace sbx::profile {

const Node* Node::find(std::string_view name) const {
  if (kind != NodeKind::map) return nullptr;
  const auto found = std::ranges::find(children, name, &Node::key);
  return found == children.end() ? nullptr : &*found;
}

Node* Node::find(std::string_view name) {
  return const_cast<Node*>(std::as_const(*this).find(name));
}

void Node::remove(std::string_view name) {
  std::erase_if(children, [&](const Node& child) { return child.key == name; });
}

std::string_view describe_kind(const Node& node) {
  switch (node.kind) {
    case NodeKind::null:
      return "nothing";
    case NodeKind::scalar:
      return "a single value";
    case NodeKind::list:
      return "a list";
    case NodeKind::map:
      return "a map";
  }
  return "";
}

void Findings::add(Origin at, std::string what, std::string hint) {
  list_.push_back({std::move(at), stage_, std::move(what), std::move(hint)});
}

bool Findings::told(const Origin& at) const {
  return std::ranges::any_of(list_, [&](const Finding& finding) {
    return std::tie(finding.at.file, finding.at.line, finding.at.column) ==
           std::tie(at.file, at.line, at.column);
  });
}

std::size_t Findings::rank(const Origin& at) const {
  return static_cast<std::size_t>(std::ranges::find(files_, at.file) - files_.begin());
}

std::vector<Error> Findings::take() {
  std::ranges::stable_sort(list_, [this](const Finding& a, const Finding& b) {
    return std::tuple(rank(a.at), a.at.line, a.at.column) <
           std::tuple(rank(b.at), b.at.line, b.at.column);
  });
  std::vector<Error> out;
  const Finding* last = nullptr;
  for (Finding& finding : list_) {
    std::string where = finding.at.to_string();
    // Of flags only these name their key in the place, and no other finding has the same.
    const bool placed = finding.at.line != 0 || finding.at.file.starts_with("--set ");
    if (last != nullptr && last->at == finding.at && placed && finding.stage > last->stage)
      continue;
    const bool excused = finding.what.empty();
    if (!excused && !out.empty() && out.back().where == where && out.back().what == finding.what)
      continue;
    last = &finding;
    if (excused) continue;
    out.push_back({.kind = ErrorKind::profile,
                   .what = std::move(finding.what),
                   .where = std::move(where),
                   .hint = std::move(finding.hint)});
  }
  list_.clear();
  return out;
}

}  // namespace sbx::profile
