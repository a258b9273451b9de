// Answers of the host's DNS for as long as they are valid. Bounded, pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "egress/loop.hpp"
#include "egress/resolver.hpp"

namespace sbx::egress {

class AnswerCache {
 public:
  static constexpr std::size_t kMost = 1024;

  /// With the time to live that is left of it.
  [[nodiscard]] std::optional<Resolved> find(const std::string& name, Nanos now) const;
  /// For its time to live, at least one second and at most five minutes; one second when the name
  /// was not found. When there is no room, what ends next gives way.
  void keep(const std::string& name, const Resolved& answer, Nanos now);
  [[nodiscard]] std::size_t size() const { return kept_.size(); }

 private:
  struct Kept {
    Resolved answer{};
    Nanos until = 0;
  };
  void make_room(Nanos now);

  std::unordered_map<std::string, Kept> kept_{};
};

}  // namespace sbx::egress
