// All wanted sequences in one automaton (Aho and Corasick, CACM 18(6), 1975), unfolded to a table:
// one load a byte, whatever the text is. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "redact/needles.hpp"

namespace sbx::redact {

/// A state is the offset of its row in the table; 0 is the root. It stands for the longest end of
/// what was read that begins something wanted.
using At = std::uint32_t;

class Automaton {
 public:
  Automaton() = default;
  /// An error: the table would be larger than kMaxTable.
  static Result<Automaton> build(std::span<const Wanted> wanted);

  /// What a loop needs of it, to have in registers.
  class Steps {
   public:
    explicit Steps(const Automaton& automaton)
        : rows_(automaton.rows_.data()),
          column_(automaton.column_.data()),
          first_accepting_(automaton.first_accepting_) {}
    [[nodiscard]] At step(At at, unsigned char byte) const { return rows_[at + column_[byte]]; }
    /// Something wanted ends here.
    [[nodiscard]] bool accepts(At at) const { return at >= first_accepting_; }

   private:
    const At* rows_;
    const std::uint16_t* column_;
    At first_accepting_;
  };

  /// How many bytes of something wanted have been read that goes on from here.
  [[nodiscard]] std::size_t begun(At at) const { return rows_[at]; }
  /// Whose beginning that is; kNobody: it says nothing.
  [[nodiscard]] std::size_t owner(At at) const { return rows_[at + 1]; }
  /// The same when of the next byte only the first `count` bits have come, `bits`: of the longest
  /// that they may go on, or end: its length with that byte, and its owner. {0, kNobody}: there is
  /// none, or it says nothing.
  [[nodiscard]] std::pair<std::size_t, std::size_t> begun_with(At at, unsigned bits,
                                                               unsigned count) const;
  /// The longest that ends here: its length and whose it is.
  [[nodiscard]] std::size_t found(At at) const { return rows_[at + 2]; }
  [[nodiscard]] std::size_t found_owner(At at) const { return rows_[at + 3]; }
  /// The length of the longest that is wanted; 0: nothing is.
  [[nodiscard]] std::size_t longest() const { return longest_; }

 private:
  static constexpr std::size_t kFacts = 4;  ///< before a row's transitions

  void choose_columns(std::span<const Wanted> wanted);

  std::array<std::uint16_t, 256> column_{};
  std::size_t width_ = kFacts + 1;  ///< of a row
  std::vector<At> rows_ = std::vector<At>(kFacts + 1);
  At first_accepting_ = 1;
  std::size_t longest_ = 0;
};

}  // namespace sbx::redact
