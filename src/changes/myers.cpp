// E. W. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), in linear space: two
// searches, from both ends, meet in the middle of a shortest script, and both halves are searched
// the same way.
#include "changes/myers.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

namespace sbx::changes {
namespace {

/// Each is a few nanoseconds: a fifth of a second in all, enough for some 10,000 edits.
constexpr std::int64_t kMostSteps = 50'000'000;

/// No point of a diagonal is in reach. No sum with a real one comes near to zero.
constexpr int kNowhere = -(1 << 30);

/// Two ranges that are searched: [before_begin, before_end) against [after_begin, after_end).
struct Box {
  int before_begin = 0;
  int before_end = 0;
  int after_begin = 0;
  int after_end = 0;

  [[nodiscard]] int height() const { return before_end - before_begin; }
  [[nodiscard]] int width() const { return after_end - after_begin; }
  [[nodiscard]] bool one_sided() const { return height() == 0 || width() == 0; }
};

/// How far into each range, from the end where the search began.
struct Point {
  int before = 0;
  int after = 0;
};

enum class End { front, back };

std::size_t at(int index) { return static_cast<std::size_t>(index); }

class Search {
 public:
  Search(const Numbers& before, const Numbers& after, Differences& found)
      : before_(before), after_(after), found_(found) {
    for (auto& reach : reach_) reach.resize(before.size() + after.size() + 3);
  }

  /// Marks what differs in a box. Each half has half of the edits, so it does not recurse deeply.
  void compare(Box box) {
    for (; !box.one_sided() && same<End::front>(box, {0, 0}); ++box.after_begin) ++box.before_begin;
    for (; !box.one_sided() && same<End::back>(box, {0, 0}); --box.after_end) --box.before_end;
    const auto meeting = box.one_sided() ? std::nullopt : meet(box);
    if (!meeting) {
      std::fill_n(found_.removed.begin() + box.before_begin, box.height(), char{1});
      std::fill_n(found_.added.begin() + box.after_begin, box.width(), char{1});
      return;
    }
    const int before_middle = box.before_begin + meeting->before;
    const int after_middle = box.after_begin + meeting->after;
    compare({box.before_begin, before_middle, box.after_begin, after_middle});
    compare({before_middle, box.before_end, after_middle, box.after_end});
  }

 private:
  template <End end>
  [[nodiscard]] bool same(const Box& box, Point point) const {
    if constexpr (end == End::front) {
      return before_[at(box.before_begin + point.before)] ==
             after_[at(box.after_begin + point.after)];
    } else {
      return before_[at(box.before_end - 1 - point.before)] ==
             after_[at(box.after_end - 1 - point.after)];
    }
  }

  /// How far into `before` a side's search has come on a diagonal (before minus after). Box by box
  /// the same memory is used again; what is left there from the last one is never read.
  template <End end>
  int& reach(const Box& box, int diagonal) {
    return reach_[end == End::front ? 0 : 1][at(diagonal + box.width() + 1)];
  }

  /// A point in the middle of a shortest script, from the front; nothing when the work gets too
  /// much.
  std::optional<Point> meet(const Box& box) {
    // Both ends differ, as compare() has made sure, so that no edits lead nowhere.
    reach<End::front>(box, 0) = reach<End::back>(box, 0) = 0;
    for (int edits = 1; steps_left_ > 0; ++edits) {
      if (const auto point = advance<End::front>(box, edits, edits - 1)) return point;
      if (const auto point = advance<End::back>(box, edits, edits))
        return Point{box.height() - point->before, box.width() - point->after};
    }
    return std::nullopt;
  }

  /// Takes a side's search on to `edits`; where it meets the other one, which has come to
  /// `others_edits`, if it does.
  template <End end>
  std::optional<Point> advance(const Box& box, int edits, int others_edits) {
    constexpr End kOther = end == End::front ? End::back : End::front;
    const int height = box.height();
    const int width = box.width();
    if (edits <= height) reach<end>(box, edits + 1) = kNowhere;
    if (edits <= width) reach<end>(box, -edits - 1) = kNowhere;
    // An odd number of edits ends on an odd diagonal; outside of the box there is none.
    const int first = std::max(-edits, -width + ((edits + width) & 1));
    const int last = std::min(edits, height - ((edits + height) & 1));
    for (int diagonal = first; diagonal <= last && steps_left_ > 0; diagonal += 2) {
      const int come = step<end>(box, diagonal);
      const int others = height - width - diagonal;
      if (std::abs(others) > others_edits || ((others ^ others_edits) & 1) != 0) continue;
      if (come + reach<kOther>(box, others) >= height) return Point{come, come - diagonal};
    }
    return std::nullopt;
  }

  /// The furthest point of a diagonal: one edit from a neighbour, then over all that is the same.
  template <End end>
  int step(const Box& box, int diagonal) {
    const int removing = reach<end>(box, diagonal - 1);
    const int adding = reach<end>(box, diagonal + 1);
    int come = kNowhere;
    if (removing >= 0 && removing < box.height()) come = removing + 1;
    if (adding >= 0 && adding - diagonal <= box.width()) come = std::max(come, adding);
    const int start = come;
    while (come >= 0 && come < box.height() && come - diagonal < box.width() &&
           same<end>(box, {come, come - diagonal})) {
      ++come;
    }
    steps_left_ -= 1 + (come - start);
    return reach<end>(box, diagonal) = come;
  }

  const Numbers& before_;
  const Numbers& after_;
  Differences& found_;
  std::array<std::vector<int>, 2> reach_;
  std::int64_t steps_left_ = kMostSteps;
};

}  // namespace

Differences find_differences(const Numbers& before, const Numbers& after) {
  Differences found{Marks(before.size()), Marks(after.size())};
  Search(before, after, found)
      .compare({0, static_cast<int>(before.size()), 0, static_cast<int>(after.size())});
  return found;
}

}  // namespace sbx::changes
