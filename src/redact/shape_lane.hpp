// Looks for keys by their shape, in text as it stands. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "redact/match.hpp"
#include "redact/tables.hpp"

namespace sbx::redact {

class ShapeLane {
 public:
  explicit ShapeLane(const Matcher& matcher) : matcher_(matcher) {}

  /// `kept`: what is left of the stream from keep_from() on, with new bytes at its end. `last`:
  /// none will follow. A key that goes on at the end of it is told of again, longer.
  void scan(const Piece& kept, bool last, Matches& matches);
  /// Where something began of which more must be seen.
  [[nodiscard]] std::uint64_t open() const {
    if (!waiting_) return kNowhere;
    return inside_ != nullptr ? start_ : at_;
  }
  /// From here on scan() needs the bytes again.
  [[nodiscard]] std::uint64_t keep_from() const { return at_ - std::min(at_ - began_, kLookBack); }
  /// A new stream begins at `at`.
  void reset(std::uint64_t at);

 private:
  /// Bytes before a prefix that are looked at: a terminal's colour ("\x1b[38;5;123m").
  static constexpr std::uint64_t kLookBack = 16;

  void look(const Piece& kept, bool last, Matches& matches);
  void go_on(const Piece& kept, bool last, Matches& matches);
  [[nodiscard]] bool try_shapes(const Piece& kept, std::size_t from, bool last, Matches& matches);

  const Matcher& matcher_;
  std::uint64_t began_ = 0;        ///< where the stream did
  std::uint64_t at_ = 0;           ///< the next byte to look at
  std::uint64_t known_ = 0;        ///< of judge()
  bool waiting_ = false;           ///< for more bytes, to judge what begins at at_
  const Shape* inside_ = nullptr;  ///< a key that did not end before at_
  std::uint64_t start_ = 0;        ///< where that began
};

}  // namespace sbx::redact
