// network.limits of bytes: so many a second each way, and so many in all. Token buckets that hold a
// tenth of a second. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "egress/loop.hpp"
#include "network/policy.hpp"

namespace sbx::egress {

enum class Direction { up, down };  ///< up: to the host

class Throttle {
 public:
  explicit Throttle(const network::Limits& limits);

  /// How many of `wanted` bytes may pass now; they count as passed. 0: see when(), exhausted().
  std::size_t grant(Direction direction, std::size_t wanted, Nanos now);
  /// Bytes of a grant that did not pass after all.
  void refund(Direction direction, std::size_t bytes);
  /// For what passes whole or not at all: goes into debt rather than wait for a bucketful.
  bool grant_whole(Direction direction, std::size_t bytes, Nanos now);

  /// When it is worth to ask again; in the past when it is now.
  [[nodiscard]] Nanos when(Direction direction) const;
  /// The total is used up: nothing passes any more.
  [[nodiscard]] bool exhausted() const { return left_ == 0; }

 private:
  struct Bucket {
    double rate = 0;  ///< bytes a second; 0: without a limit
    double level = 0;
    Nanos at = 0;  ///< what `level` was true of

    [[nodiscard]] double capacity() const;
    void fill(Nanos now);
  };
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  Bucket& bucket(Direction direction) { return buckets_[static_cast<std::size_t>(direction)]; }

  std::array<Bucket, 2> buckets_{};
  std::uint64_t left_ = kNoLimit;
};

}  // namespace sbx::egress
