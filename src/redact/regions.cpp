#include "redact/regions.hpp"

#include <algorithm>

namespace sbx::redact {

void Regions::add(const Match& match) {
  Match region = match;
  auto after = regions_.end();
  while (after != regions_.begin() && std::prev(after)->start >= region.end) --after;
  auto first = after;
  while (first != regions_.begin() && std::prev(first)->end > region.start) {
    --first;
    const bool earlier = first->start < region.start ||
                         (first->start == region.start && first->first_end >= region.first_end);
    if (earlier) {
      region.owner = first->owner;
      region.first_end = first->first_end;
    }
    region.start = std::min(region.start, first->start);
    region.end = std::max(region.end, first->end);
  }
  if (first == after) {
    regions_.insert(after, region);
    return;
  }
  *first = region;
  regions_.erase(std::next(first), after);
}

}  // namespace sbx::redact
