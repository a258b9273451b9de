// What the lanes of a stream tell: where something was found, and where something may have begun.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sbx::redact {

/// Bytes [start, end) of the stream, counted from its first.
struct Match {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::size_t owner = 0;
  std::uint64_t first_end = 0;  ///< where matches overlap: of the one that gave it its owner
};

/// What one lane found, in the order of the ends.
class Matches {
 public:
  /// Matches that overlap become one, with the owner of the first (of two firsts the longer), so
  /// that no text makes many.
  void add(const Match& match) {
    if (list_.empty() || list_.back().end <= match.start || list_.back().start > match.start) {
      list_.push_back(match);
      list_.back().first_end = match.end;
      return;
    }
    Match& last = list_.back();
    if (last.start == match.start) {
      last.owner = match.owner;
      last.first_end = match.end;
    }
    last.end = match.end;
  }
  /// Adds them to `all`, which is in the same order and stays so.
  void move_to(std::vector<Match>& all) {
    if (list_.empty()) return;
    std::vector<Match> both(all.size() + list_.size());
    std::ranges::merge(all, list_, both.begin(), {}, &Match::end, &Match::end);
    all.swap(both);
    list_.clear();
  }

 private:
  std::vector<Match> list_;
};

inline constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

/// New bytes, of which the first is the stream's `at`th.
struct Piece {
  std::string_view bytes;
  std::uint64_t at = 0;
};

/// Remembers of the last units (digits, decoded bytes) where in the stream they began.
class Places {
 public:
  /// At least the last `count` are remembered.
  explicit Places(std::size_t count) {
    std::size_t size = 16;
    while (size < count) size *= 2;
    places_.resize(size);
  }
  void set(std::uint64_t unit, std::uint64_t place) {
    places_[unit & (places_.size() - 1)] = place;
  }
  [[nodiscard]] std::uint64_t get(std::uint64_t unit) const {
    return places_[unit & (places_.size() - 1)];
  }

 private:
  std::vector<std::uint64_t> places_;
};

}  // namespace sbx::redact
