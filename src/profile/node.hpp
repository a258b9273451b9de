// A YAML document as plain data: what yaml_reader makes and decode reads. Pure; knows no library.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace sbx::profile {

enum class NodeKind { null, scalar, list, map };

/// One value with its place. A child of a map also carries its key and the key's place.
struct Node {
  NodeKind kind = NodeKind::null;
  bool quoted =
      false;  ///< scalar in quotes, a block scalar, or tagged !!str: text whatever it says
  bool filled = false;  ///< all of it by variables: text where text is wanted, else as if plain
  bool replace =
      false;  ///< tagged !replace: takes the place of what earlier layers (and defaults) say
  std::string text{};  ///< scalar
  Origin at{};
  std::string key{};
  Origin key_at{};
  std::vector<Node> children{};

  /// The child of a map under `name`, or nullptr.
  [[nodiscard]] const Node* find(std::string_view name) const;
  [[nodiscard]] Node* find(std::string_view name);
  /// Takes it away, where there is one.
  void remove(std::string_view name);
  /// Where a person would look for it: the key, or the value itself in a list.
  [[nodiscard]] const Origin& place() const { return key.empty() ? at : key_at; }
  bool operator==(const Node&) const = default;
};

/// "a list", "a map", "text" ...: what a value is, for messages.
std::string_view describe_kind(const Node& node);

/// One problem in a profile, before it is worded as an Error.
struct Finding {
  Origin at;
  int stage = 0;
  std::string what;
  std::string hint;
};

/// Collects every problem; files are sorted in the order in which they were first read.
class Findings {
 public:
  void add(Origin at, std::string what, std::string hint = {});
  /// What is wrong with the value here has been told of another place: what later stages find here
  /// is dropped as well.
  void excuse(Origin at) { add(std::move(at), {}); }
  /// Is something wrong with the value here?
  [[nodiscard]] bool told(const Origin& at) const;
  /// Files that come earlier here come earlier in the report.
  void read_file(const std::string& name) { files_.push_back(name); }
  /// What is found from now on is dropped where an earlier stage has found something already: it
  /// would only be a consequence.
  void next_stage() { ++stage_; }
  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] std::size_t size() const { return list_.size(); }
  /// In file order, without repetitions and mere consequences.
  [[nodiscard]] std::vector<Error> take();

 private:
  [[nodiscard]] std::size_t rank(const Origin& at) const;

  std::vector<Finding> list_;
  std::vector<std::string> files_;
  int stage_ = 0;
};

}  // namespace sbx::profile
