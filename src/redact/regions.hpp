// What must be masked and was not yet: matches, those that overlap made one. Pure.
#pragma once

#include <cstdint>
#include <deque>

#include "redact/match.hpp"

namespace sbx::redact {

/// Where matches overlap the owner is that of the first, of several firsts the longest.
class Regions {
 public:
  /// Cheap for a match at the end of the stream, as nearly all are.
  void add(const Match& match);
  [[nodiscard]] bool empty() const { return regions_.empty(); }
  [[nodiscard]] const Match& front() const { return regions_.front(); }
  void pop() { regions_.pop_front(); }

 private:
  std::deque<Match> regions_;  ///< in order, apart from each other
};

}  // namespace sbx::redact
