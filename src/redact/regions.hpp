// What must be masked and was not yet: matches, those that overlap made one. Pure.
#pragma once

#include <cstdint>
#include <deque>

#include "redact/match.hpp"

namespace sbx::redact {

/// Overlapping matches; `owner` is that of the first, of several firsts the longest.
struct Region {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t first_end = 0;  ///< of the match that gave it its owner
  std::size_t owner = 0;
};

class Regions {
 public:
  /// Cheap for a match at the end of the stream, as nearly all are.
  void add(const Match& match);
  [[nodiscard]] bool empty() const { return regions_.empty(); }
  [[nodiscard]] const Region& front() const { return regions_.front(); }
  void pop() { regions_.pop_front(); }

 private:
  std::deque<Region> regions_;  ///< in order, apart from each other
};

}  // namespace sbx::redact
