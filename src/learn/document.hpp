// A profile under construction: keys with values as YAML text, and a remark behind each entry of a
// list. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sbx::learn {

class Document {
 public:
  /// Sets `key` (dotted: "limits.memory") to `yaml`. Of a list, "[a, b]", each entry is added to
  /// those that are there already, with `remark`; anything else replaces what was there.
  void add(std::string_view key, std::string_view yaml, std::string_view remark = {});
  /// The lines of all keys in the order in which they came.
  [[nodiscard]] std::string text() const;

 private:
  struct Entry {
    std::string yaml;
    std::string remark;
  };
  struct Node {
    std::string name;
    std::vector<Entry> entries{};  ///< a list
    std::string value{};           ///< anything else
    std::vector<Node> children{};
  };

  static void write(const Node& node, std::size_t depth, std::string& out);

  Node root_;
};

/// The entries of a list in flow style: "[a, {b: [c]}]" has two. Empty for what is none.
std::vector<std::string> flow_entries(std::string_view yaml);

}  // namespace sbx::learn
