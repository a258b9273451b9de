// One way of reading escapes in text: what they stand for goes through the automaton. It sleeps
// until there is an escape, takes over the state of the text as it stands, and sleeps again as soon
// as it would find nothing else. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "redact/automaton.hpp"
#include "redact/match.hpp"

namespace sbx::redact {

enum class Escapes {
  percent,    ///< %XX (RFC 3986)
  form,       ///< the same, and '+' for a space (WHATWG URL, application/x-www-form-urlencoded)
  backslash,  ///< JSON (RFC 8259), and \xXX, \OOO, \e, \' of C, Python and shells
};

class EscapeLane {
 public:
  EscapeLane(const Automaton& automaton, Escapes kind);

  [[nodiscard]] bool begins_with(char c) const {
    return kind_ == Escapes::backslash ? c == '\\'
                                       : c == '%' || (kind_ == Escapes::form && c == '+');
  }
  [[nodiscard]] bool awake() const { return awake_; }
  /// `text`: where the automaton is in the text as it stands, before the byte at `place`.
  void wake(At text, std::uint64_t place);
  void put(char c, std::uint64_t place, Matches& matches);
  /// After the same byte: `text` would find all that this can find.
  void sleep_if_like(At text);

  [[nodiscard]] std::uint64_t open() const;
  void unfinished(std::uint64_t end, Matches& matches) const;
  void reset();

 private:
  enum class Read { more, done, broken };

  [[nodiscard]] Read read_percent(char c);
  [[nodiscard]] Read read_backslash(char c);
  [[nodiscard]] Read read_digits(unsigned base, std::size_t from, std::size_t count);
  void escape(std::uint64_t end, Matches& matches);
  void unit(char c, std::uint64_t start, std::uint64_t end, Matches& matches);
  [[nodiscard]] std::uint64_t start_of(std::size_t depth) const;

  const Automaton& automaton_;
  Escapes kind_;
  bool awake_ = false;
  At at_ = 0;
  std::array<char, 6> pending_{};  ///< an escape that is not complete
  std::size_t pending_size_ = 0;
  std::uint64_t pending_start_ = 0;
  std::uint32_t code_ = 0;        ///< what the escape stands for: a byte, or a code point of \u
  std::uint64_t woken_ = 0;       ///< where it woke
  std::uint64_t units_ = 0;       ///< since then
  std::uint64_t escapeless_ = 0;  ///< units since the last escape
  Places starts_;
};

}  // namespace sbx::redact
