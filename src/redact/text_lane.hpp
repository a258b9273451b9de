// Looks for secrets as they stand and, where the text has escapes, for what these stand for. Pure.
#pragma once

#include <array>
#include <span>

#include "redact/escape_lane.hpp"
#include "redact/match.hpp"
#include "redact/tables.hpp"

namespace sbx::redact {

class TextLane {
 public:
  explicit TextLane(const Matcher& matcher);

  /// What is found in one way of reading is in one list.
  using Found = std::array<Matches, 4>;

  void scan(const Piece& piece, Found& found);
  /// Where the earliest of what may go on to be found begins.
  [[nodiscard]] std::uint64_t open() const;
  /// What has begun and did not end, at the end of the stream.
  void unfinished(Found& found) const;
  void reset();

 private:
  void scan_plain(std::string_view bytes, std::size_t from, std::size_t to, Matches& matches);

  [[nodiscard]] std::span<EscapeLane> escapes() { return std::span(escapes_).first(used_); }

  const Matcher& matcher_;
  const Automaton& automaton_;
  At at_ = 0;
  std::uint64_t place_ = 0;  ///< of the first byte of the piece
  std::uint64_t end_ = 0;
  std::array<EscapeLane, 3> escapes_;
  std::size_t used_;  ///< of escapes_: forms differ only for secrets with a space
};

}  // namespace sbx::redact
