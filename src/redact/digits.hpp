// Base64 and hex digits, and the bytes that they stand for in every way of grouping them. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "redact/filter.hpp"
#include "redact/tables.hpp"

namespace sbx::redact {

/// What a byte is that is no digit.
inline constexpr unsigned char kGapByte = 64;
inline constexpr unsigned char kOtherByte = 65;

using Meanings = std::array<unsigned char, 256>;
/// How a byte moves the window of a filter: its value, and in the upper half by how many bits. What
/// is no digit counts as 0, which finds too much, never too little.
using Rolls = std::array<std::uint16_t, 256>;

constexpr Rolls rolls_of(const Meanings& meanings, unsigned bits) {
  Rolls rolls{};
  for (std::size_t i = 0; i < rolls.size(); ++i) {
    const unsigned value = meanings[i] < kGapByte ? meanings[i] : 0;
    rolls[i] = static_cast<std::uint16_t>(meanings[i] == kGapByte ? 0 : (bits << 8U) | value);
  }
  return rolls;
}

extern const Meanings kBase64Meanings;
extern const Meanings kHexMeanings;
extern const Rolls kBase64Rolls;
extern const Rolls kHexRolls;

/// The standard and the URL-safe alphabet alike (RFC 4648). A digit may be the first, second, third
/// or fourth of its group: four lanes, of which three get a byte with every digit.
class Base64Digits {
 public:
  static constexpr unsigned kBits = kBase64Bits;
  static constexpr std::size_t kWindow = kBase64Window;

  explicit Base64Digits(const Matcher& matcher)
      : automaton_(matcher.automaton), steps_(matcher.automaton), filter_(matcher.base64) {}
  static const Meanings& meanings() { return kBase64Meanings; }
  static const Rolls& rolls() { return kBase64Rolls; }
  [[nodiscard]] bool may_begin(std::size_t window) const { return filter_.has(window & 0x3FFFFU); }

  /// `two`: the digit numbered `index` and the one before. Calls `found(first digit, owner)`.
  template <class Found>
  void step(unsigned two, std::uint64_t index, const Found& found) {
    const At all = three_;
    three_ = steps_.step(two_, static_cast<unsigned char>(two));
    two_ = steps_.step(one_, static_cast<unsigned char>(two >> 2U));
    one_ = steps_.step(none_, static_cast<unsigned char>(two >> 4U));
    none_ = all;
    if (!steps_.accepts(std::max({one_, two_, three_}))) [[likely]]
      return;
    const auto check = [&](At at, std::size_t bytes) {
      if (steps_.accepts(at))
        found(first_digit(index, bytes, automaton_.found(at)), automaton_.found_owner(at));
    };
    check(one_, 1);
    check(two_, 2);
    check(three_, 3);
  }
  [[nodiscard]] bool idle() const { return (none_ | one_ | two_ | three_) == 0; }
  void reset() { none_ = one_ = two_ = three_ = 0; }
  void take(const Base64Digits& from) {
    none_ = from.none_;
    one_ = from.one_;
    two_ = from.two_;
    three_ = from.three_;
  }
  /// Calls `tell(first digit, owner)` for all that has begun when `index` was the last digit.
  template <class Tell>
  void begun(std::uint64_t index, const Tell& tell) const {
    const auto check = [&](At at, std::size_t bytes) {
      const std::size_t begun = automaton_.begun(at);
      if (begun != 0) tell(first_digit(index, bytes, begun), automaton_.owner(at));
    };
    check(none_, 0);
    check(one_, 1);
    check(two_, 2);
    check(three_, 3);
  }
  /// The same of what goes on with what `last`, that digit, has of the next byte as well: a filter
  /// has only let through what does.
  template <class Tell>
  void unfinished(std::uint64_t index, unsigned last, const Tell& tell) const {
    const auto check = [&](At at, std::size_t bytes) {
      const auto bits = static_cast<unsigned>(kBits - 2 * bytes);  // of `last`, its lower ones
      const auto [length, owner] = automaton_.begun_with(at, last & ((1U << bits) - 1), bits);
      if (length != 0) tell(first_digit(index + 1, bytes + 1, length), owner);
    };
    check(none_, 0);
    check(one_, 1);
    check(two_, 2);
    if (const std::size_t begun = automaton_.begun(three_); begun != 0)
      tell(first_digit(index, 3, begun), automaton_.owner(three_));
  }

 private:
  /// Of the last `count` bytes, when `index` is the last digit and completed the group's byte
  /// number `bytes` (0: it is the group's first).
  static std::uint64_t first_digit(std::uint64_t index, std::size_t bytes, std::size_t count) {
    const std::uint64_t group = index - bytes;
    if (count <= bytes) return group + (bytes - count) * 8 / kBits;
    return group - ((count - bytes) * 8 + kBits - 1) / kBits;
  }

  const Automaton& automaton_;
  Automaton::Steps steps_;
  const BitSet& filter_;
  // By how many bytes of its group are complete.
  At none_ = 0;
  At one_ = 0;
  At two_ = 0;
  At three_ = 0;
};

/// Both cases. A digit may be the first or the second of its byte: two lanes, which take turns.
class HexDigits {
 public:
  static constexpr unsigned kBits = kHexBits;
  static constexpr std::size_t kWindow = kHexWindow;

  explicit HexDigits(const Matcher& matcher)
      : automaton_(matcher.automaton), steps_(matcher.automaton), filter_(matcher.hex) {}
  static const Meanings& meanings() { return kHexMeanings; }
  static const Rolls& rolls() { return kHexRolls; }
  [[nodiscard]] bool may_begin(std::size_t window) const { return filter_.has(window & 0xFFFFU); }

  template <class Found>
  void step(unsigned two, std::uint64_t index, const Found& found) {
    const At stepped = steps_.step(halfway_, static_cast<unsigned char>(two));
    halfway_ = whole_;
    whole_ = stepped;
    if (steps_.accepts(whole_)) [[unlikely]]
      found(index + 1 - 2 * automaton_.found(whole_), automaton_.found_owner(whole_));
  }
  [[nodiscard]] bool idle() const { return (whole_ | halfway_) == 0; }
  void reset() { whole_ = halfway_ = 0; }
  void take(const HexDigits& from) {
    whole_ = from.whole_;
    halfway_ = from.halfway_;
  }
  template <class Tell>
  void begun(std::uint64_t index, const Tell& tell) const {
    const std::uint64_t whole = automaton_.begun(whole_);
    if (whole != 0) tell(index + 1 - 2 * whole, automaton_.owner(whole_));
    const std::uint64_t halfway = automaton_.begun(halfway_);
    if (halfway != 0) tell(index - 2 * halfway, automaton_.owner(halfway_));
  }
  template <class Tell>
  void unfinished(std::uint64_t index, unsigned last, const Tell& tell) const {
    const std::uint64_t whole = automaton_.begun(whole_);
    if (whole != 0) tell(index + 1 - 2 * whole, automaton_.owner(whole_));
    const auto [length, owner] = automaton_.begun_with(halfway_, last, kBits);
    if (length != 0) tell(index + 2 - 2 * length, owner);
  }

 private:
  const Automaton& automaton_;
  Automaton::Steps steps_;
  const BitSet& filter_;
  At whole_ = 0;    ///< the last digit was the second of a byte
  At halfway_ = 0;  ///< it was the first
};

}  // namespace sbx::redact
