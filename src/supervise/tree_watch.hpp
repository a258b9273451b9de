// The memory limit of a host without cgroups: the tree's use is sampled, and a run that is over is
// ended. Pure; the caller samples (os/tree_sample.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "supervise/clock.hpp"

namespace sbx::supervise {

class TreeWatch {
 public:
  explicit TreeWatch(std::optional<std::uint64_t> limit) : limit_(limit) {}

  [[nodiscard]] bool due(Nanos now) const { return limit_ && !over() && now >= next_; }
  [[nodiscard]] std::optional<Nanos> next() const {
    return limit_ && !over() ? std::optional(next_) : std::nullopt;
  }
  /// `used`: bytes; nullopt: the tree is gone.
  void note(Nanos now, std::optional<std::uint64_t> used);
  [[nodiscard]] bool over() const { return limit_ && peak_ > *limit_; }
  /// The most that was seen; nullopt: nobody looked.
  [[nodiscard]] std::optional<std::uint64_t> peak() const;
  [[nodiscard]] std::uint64_t limit() const { return limit_.value_or(0); }

 private:
  std::optional<std::uint64_t> limit_;
  std::uint64_t peak_ = 0;
  bool seen_ = false;
  Nanos next_ = 0;
};

}  // namespace sbx::supervise
