// A key that stands twice in one object of a JSON text: to one reader the first of them counts, to
// another one the last.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sbx {

/// What nlohmann's parse() calls, of either of its kinds of value, for each thing it has read.
template <class Json>
class RepeatedKey {
 public:
  bool operator()(int /*depth*/, typename Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) open_.emplace_back();
    if (event == Json::parse_event_t::object_end) open_.pop_back();
    if (event == Json::parse_event_t::key && !first_)
      if (const auto& key = value.template get_ref<const std::string&>();
          !open_.back().insert(key).second)
        first_ = key;
    return true;
  }
  /// The first one; nothing: each has been read once.
  [[nodiscard]] const std::optional<std::string>& first() const { return first_; }

 private:
  std::vector<std::set<std::string>> open_;  ///< the keys of each object that is open
  std::optional<std::string> first_;
};

}  // namespace sbx
