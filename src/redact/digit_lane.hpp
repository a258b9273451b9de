// Looks for secrets in digits that stand for bytes: base64 or hex, as `Digits` has it. The bytes go
// through the same automaton as text. Line ends among the digits are passed over. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "redact/classes.hpp"
#include "redact/digits.hpp"
#include "redact/match.hpp"

namespace sbx::redact {

/// So many gaps in a row, at most, between two digits: a terminal makes "\r\r\n" of "\r\n".
inline constexpr unsigned kMaxGap = 3;

template <class Digits>
class DigitLane {
 public:
  explicit DigitLane(const Matcher& matcher)
      : digits_(matcher),
        places_(matcher.automaton.longest() * 8 / Digits::kBits + 8),
        shortest_(std::min<std::size_t>(64, matcher.shortest * 8 / Digits::kBits)),
        stride_(stride_of(matcher.shortest, Digits::kBits, Digits::kWindow)) {}

  /// `map`: which bytes may belong to digits.
  void scan(const Piece& piece, const ByteMap& map, Matches& matches) {
    map_ = &map;
    bytes_ = piece.bytes;
    place_ = piece.at;
    // The filter needs the digits before a byte; until the piece has some, the lanes remember them,
    // if there were any.
    std::size_t seen = 0;
    for (std::size_t i = 0; i < bytes_.size();) {
      if ((seen >= Digits::kWindow || !digit_before_) && digits_.idle()) {
        i = pass_over(i, matches);
      } else {
        const std::size_t digits = run(i, matches);
        seen += digits;
        i += digits;
        if (i == bytes_.size() || (digits > 0 && digits_.idle())) continue;
        seen += meaning(i) == kGapByte ? 0 : 1;
        put(i++, matches);
      }
    }
  }

  /// Where the earliest of what may go on to be found begins.
  [[nodiscard]] std::uint64_t open() const {
    if (!digit_before_) return kNowhere;
    std::uint64_t open = places_.get(index_ - 1);
    digits_.begun(index_ - 1, [&](std::uint64_t first, std::size_t) {
      open = std::min(open, places_.get(first));
    });
    return open;
  }
  /// What has begun and did not end, at the end of the stream: up to the last digit, because a line
  /// end behind it is nothing of a secret's.
  void unfinished(Matches& matches) const {
    if (!digit_before_) return;
    const std::uint64_t end = places_.get(index_ - 1) + 1;
    digits_.unfinished(index_ - 1, before_, [&](std::uint64_t first, std::size_t owner) {
      if (owner != kNobody) matches.add({places_.get(first), end, owner});
    });
  }
  void reset() {
    digits_.reset();
    digit_before_ = false;
    gap_ = 0;
  }

 private:
  [[nodiscard]] unsigned char meaning(std::size_t i) const {
    return Digits::meanings()[static_cast<unsigned char>(bytes_[i])];
  }

  [[nodiscard]] bool is_set(std::size_t i) const {
    return (((*map_)[i / 64] >> (i % 64)) & 1U) != 0;
  }

  /// Digits that follow another without a gap, while anything has begun; returns how many. All that
  /// changes is local, so that it can stay in registers.
  std::size_t run(std::size_t from, Matches& matches) {
    if (!digit_before_ || gap_ != 0) return 0;
    Digits digits = digits_;
    unsigned before = before_;
    std::uint64_t index = index_;
    std::size_t i = from;
    for (; i < bytes_.size(); ++i) {
      const unsigned value = meaning(i);
      if (value >= kGapByte) break;
      const std::uint64_t place = place_ + i;
      places_.set(index, place);
      digits.step((before << Digits::kBits) | value, index,
                  [&](std::uint64_t first, std::size_t owner) {
                    matches.add({places_.get(first), place + 1, owner});
                  });
      before = value;
      ++index;
      if (digits.idle() && i - from >= Digits::kWindow) {
        ++i;
        break;
      }
    }
    digits_.take(digits);
    before_ = before;
    index_ = index;
    return i - from;
  }

  void put(std::size_t i, Matches& matches) {
    const unsigned value = meaning(i);
    if (value >= kGapByte) {
      if (value == kOtherByte || ++gap_ > kMaxGap) reset();
      return;
    }
    gap_ = 0;
    const std::uint64_t place = place_ + i;
    places_.set(index_, place);
    if (digit_before_)
      digits_.step((before_ << Digits::kBits) | value, index_,
                   [&](std::uint64_t first, std::size_t owner) {
                     matches.add({places_.get(first), place + 1, owner});
                   });
    digit_before_ = true;
    before_ = value;
    ++index_;
  }

  /// Where the last `count` digits (or other bytes) before `end` begin.
  [[nodiscard]] std::size_t back(std::size_t end, std::size_t count) const {
    unsigned gap = 0;
    while (count > 0 && end > 0 && gap <= kMaxGap) {
      const bool is_gap = meaning(--end) == kGapByte;
      gap = is_gap ? gap + 1 : 0;
      if (!is_gap) --count;
    }
    return end;
  }

  /// While nothing has begun: on to where something may have. The digits that it would begin with
  /// have been read again then, and those at the end of the piece.
  std::size_t pass_over(std::size_t i, Matches& matches) {
    // What began with the digits before is looked for from there on.
    std::size_t from = back(i, Digits::kWindow - 1);
    for (bool found = false; i < bytes_.size() && !found; from = i) {
      i = std::max(i, find_run(*map_, from, bytes_.size(), shortest_));
      while (i < bytes_.size() && !found && is_set(i)) {
        i = leap(i);
        found = walk(i);
      }
    }
    reset();
    for (std::size_t at = back(i, Digits::kWindow); at < i; ++at) put(at, matches);
    return i;
  }

  /// Windows that end at `i` or later have not been looked at: looks at every stride_th, while that
  /// has no gap and is none of anything wanted; returns the same for what is left, in which the
  /// first window of what was met then is.
  [[nodiscard]] std::size_t leap(std::size_t i) const {
    const Meanings& meanings = Digits::meanings();
    for (; i + stride_ <= bytes_.size(); i += stride_) {
      std::size_t window = 0;
      unsigned all = 0;
      for (std::size_t at = i + stride_ - Digits::kWindow; at < i + stride_; ++at) {
        const unsigned value = meanings[static_cast<unsigned char>(bytes_[at])];
        all |= value;  // below kGapByte, which is a power of two, as long as all of them are
        window = (window << Digits::kBits) | value;
      }
      if (all >= kGapByte || digits_.may_begin(window)) break;
    }
    return i;
  }

  /// Looks at every window from the one that ends at `i` on, for a stride and the next window, and
  /// moves `i` behind them. True: something may have begun.
  bool walk(std::size_t& i) const {
    std::size_t window = 0;
    const auto roll = [&](std::size_t at) {
      const std::uint16_t rolled = Digits::rolls()[static_cast<unsigned char>(bytes_[at])];
      window = (window << (rolled >> 8U)) | (rolled & 0xFFU);
    };
    for (std::size_t at = back(i, Digits::kWindow - 1); at < i; ++at) roll(at);
    const std::size_t end = std::min(bytes_.size(), i + stride_ + Digits::kWindow);
    bool found = false;
    for (; i < end && !found && is_set(i); ++i) {
      roll(i);
      found = digits_.may_begin(window) && meaning(i) != kGapByte;
    }
    return found;
  }

  Digits digits_;
  std::string_view bytes_{};
  const ByteMap* map_ = nullptr;
  std::uint64_t place_ = 0;  ///< of the first byte of the piece
  bool digit_before_ = false;
  unsigned before_ = 0;      ///< the digit before
  unsigned gap_ = 0;         ///< gaps since then
  std::uint64_t index_ = 0;  ///< of the next digit
  Places places_;            ///< of digits, by index
  std::size_t shortest_;     ///< run of digits that something can be in
  std::size_t stride_;       ///< from one window that is looked at to the next
};

}  // namespace sbx::redact
