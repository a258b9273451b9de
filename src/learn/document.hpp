// A profile under construction: keys with values as YAML text, and a remark behind each entry of a
// list. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sbx::learn {

/// A key is either set or added to, not both.
class Document {
 public:
  /// Sets `key` (dotted: "workspace.mode").
  void set(std::string_view key, std::string_view yaml);
  /// Adds an entry to the list `key`, if it is not there yet; `remark`: one line.
  void add(std::string_view key, std::string_view yaml, std::string_view remark);
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

  Node& at(std::string_view key);
  static void write(const Node& node, std::size_t depth, std::string& out);

  Node root_;
};

}  // namespace sbx::learn
