// One way of reading escapes in text: what they stand for goes through the automaton. It sleeps
// until there is an escape, takes over the state of the text as it stands, and sleeps again as soon
// as the text as it stands would tell the same. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "redact/automaton.hpp"
#include "redact/match.hpp"

namespace sbx::redact {

enum class Escapes {
  percent,    ///< %XX (RFC 3986)
  form,       ///< the same, and '+' for a space (WHATWG URL, application/x-www-form-urlencoded)
  backslash,  ///< JSON (RFC 8259), and \UXXXXXXXX, \xXX, \OOO, \e, \' of C, Python and shells
};

class EscapeLane {
 public:
  EscapeLane(const Automaton& automaton, Escapes kind);

  /// Goes on with a new piece, whose bytes must stay until the next, while it is awake.
  void begin(const Piece& piece, Matches& matches);
  /// The next escape that begins at `from` or later and that it has not read yet; the piece's size
  /// when there is none.
  [[nodiscard]] std::size_t next(std::size_t from);
  /// Reads on from next(). `text`: where the automaton is in the text as it stands, before it.
  void wake(At text, std::size_t from, Matches& matches);

  [[nodiscard]] std::uint64_t open() const;
  void unfinished(std::uint64_t end, Matches& matches) const;
  void reset();

 private:
  enum class Read { more, done, broken };

  [[nodiscard]] bool begins_with(char c) const { return c == first_ || c == plus_; }
  void run(Matches& matches);
  /// False: it does not belong to the escape that is pending, which is none therefore.
  [[nodiscard]] bool put(char c, std::uint64_t place, Matches& matches);
  /// What so many bytes stand for.
  struct Meaning {
    std::size_t size = 0;  ///< 0: not known yet
    char byte = 0;
    bool escape = false;
  };
  [[nodiscard]] Meaning percent_at(std::string_view rest) const;
  [[nodiscard]] static Meaning backslash_at(std::string_view rest);
  [[nodiscard]] Read read_backslash();
  [[nodiscard]] Read read_point();
  [[nodiscard]] Read read_digits(unsigned base, std::size_t from, std::size_t count);
  void escape(std::uint64_t end, Matches& matches);
  /// Where it is; apart, so that a loop can have it in registers.
  struct Cursor {
    At at = 0;
    std::uint64_t units = 0;       ///< since it woke
    std::uint64_t escapeless = 0;  ///< units since the last escape
  };
  void unit(Cursor& cursor, char c, std::uint64_t start, std::uint64_t end, Matches& matches);
  [[nodiscard]] std::uint64_t start_of(const Cursor& cursor, std::size_t count) const;
  /// Something wanted that begins inside an escape, whose last characters stand for themselves
  /// then: "100%" before an encoded "ab/c" reads as "%ab". For as long as it goes on so.
  struct Aside {
    At at = 0;
    std::uint64_t base = 0;   ///< where that escape ended
    std::uint64_t units = 0;  ///< since then
  };
  void begin_aside(std::string_view inside, std::uint64_t end);
  void step_asides(char c, std::uint64_t end, Matches& matches);
  [[nodiscard]] std::uint64_t start_of(const Aside& aside, std::size_t count) const;
  /// Does the text as it stands tell the same as all that has begun?
  [[nodiscard]] bool is_plain(const Cursor& cursor) const;
  const Automaton& automaton_;
  Automaton::Steps steps_;
  Escapes kind_;
  char first_;  ///< of an escape
  char plus_;   ///< '+' where it is one, else as first_
  Piece piece_{};
  std::size_t done_ = 0;  ///< of the piece, when awake; asleep, where it fell asleep
  std::size_t next_ = 0;  ///< next(), where that is not before `from`
  bool awake_ = false;
  Cursor cursor_{};
  std::vector<Aside> asides_{};
  std::array<char, 12> pending_{};  ///< an escape that is not complete, or a pair of them
  std::size_t pending_size_ = 0;
  std::uint64_t pending_start_ = 0;
  std::uint32_t code_ = 0;        ///< what the escape stands for: a byte, or a code point
  std::uint32_t first_half_ = 0;  ///< of a pair, whose second one is pending
  std::uint64_t woken_ = 0;       ///< where it woke
  Places starts_;
};

}  // namespace sbx::redact
