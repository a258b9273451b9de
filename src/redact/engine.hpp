// One stream's search: its lanes, what waits, and what goes on. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redact/classes.hpp"
#include "redact/digit_lane.hpp"
#include "redact/regions.hpp"
#include "redact/shape_lane.hpp"
#include "redact/stream.hpp"
#include "redact/text_lane.hpp"

namespace sbx::redact {

class Engine {
 public:
  /// The matcher must outlive it. Only bytes [from, to) of the stream go on, and the masks of what
  /// touches them.
  explicit Engine(const Matcher& matcher, std::uint64_t from = 0, std::uint64_t to = kNowhere);

  /// So many bytes of what may become a match go on at the end of a piece.
  static constexpr std::uint64_t kLetOut = 3;

  /// `let_out`: 0 or kLetOut.
  void feed(std::string_view in, std::uint64_t let_out, std::string& out);
  void finish(std::string& out);
  void add_counts(Counts& counts) const;
  [[nodiscard]] std::uint64_t total() const { return total_; }

 private:
  void scan(std::string_view in, bool last);
  /// The earliest byte that may belong to something that is not complete.
  [[nodiscard]] std::uint64_t open() const;
  void release(std::uint64_t open, std::uint64_t let_out, std::string& out);
  void let_out_to(std::uint64_t end, std::string& out);
  void mask(const Match& region, std::string& out);
  void forget();
  void add_regions(std::uint64_t shortest);
  [[nodiscard]] std::uint64_t end() const { return kept_at_ + kept_.size(); }

  const Matcher& matcher_;
  std::uint64_t from_;
  std::uint64_t to_;
  TextLane text_;
  DigitLane<Base64Digits> base64_;
  DigitLane<HexDigits> hex_;
  ShapeLane shapes_;
  /// In the piece that is scanned, by lane.
  struct Found {
    TextLane::Found text;
    Matches base64, hex, shapes;
  };
  Found found_;
  Classes classes_;
  std::vector<Match> merged_;  ///< the same in one list; a member for its memory
  Regions regions_;            ///< not masked yet
  std::string kept_;           ///< bytes that may be needed still
  std::uint64_t kept_at_ = 0;
  std::uint64_t out_ = 0;              ///< all before it went on, or was masked
  std::uint64_t masked_ = 0;           ///< up to here the last mask stands for all
  bool shown_ = false;                 ///< that mask is written
  std::vector<std::uint64_t> counts_;  ///< by owner
  std::uint64_t total_ = 0;
};

}  // namespace sbx::redact
