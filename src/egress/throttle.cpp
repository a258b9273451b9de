// The buckets. A bucket is filled when it is asked, so nobody has to tick.
#include "egress/throttle.hpp"

#include <algorithm>
#include <cmath>

namespace sbx::egress {
namespace {

constexpr double kHeld = 0.1;  ///< seconds

}  // namespace

double Throttle::Bucket::capacity() const { return std::max(rate * kHeld, 1.0); }

void Throttle::Bucket::fill(Nanos now) {
  const double seconds = static_cast<double>(std::max<Nanos>(now - at, 0)) / kSecond;
  level = std::min(level + seconds * rate, capacity());
  at = std::max(at, now);
}

Throttle::Throttle(const network::Limits& limits) {
  const auto set = [&](Direction direction, std::optional<std::uint64_t> rate) {
    // A rate of 0 would be "none"; the profile has no such value, and one byte is as good.
    if (rate) bucket(direction).rate = static_cast<double>(std::max<std::uint64_t>(*rate, 1));
    bucket(direction).level = bucket(direction).capacity();
  };
  set(Direction::up, limits.up);
  set(Direction::down, limits.down);
  if (limits.total) left_ = *limits.total;
}

std::size_t Throttle::grant(Direction direction, std::size_t wanted, Nanos now) {
  Bucket& from = bucket(direction);
  auto granted = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, left_));
  if (from.rate > 0) {
    from.fill(now);
    granted = std::min(granted, static_cast<std::size_t>(std::max(from.level, 0.0)));
    from.level -= static_cast<double>(granted);
  }
  if (left_ != kNoLimit) left_ -= granted;
  return granted;
}

void Throttle::refund(Direction direction, std::size_t bytes) {
  Bucket& to = bucket(direction);
  if (to.rate > 0) to.level = std::min(to.level + static_cast<double>(bytes), to.capacity());
  if (left_ != kNoLimit) left_ += bytes;
}

bool Throttle::grant_whole(Direction direction, std::size_t bytes, Nanos now) {
  Bucket& from = bucket(direction);
  if (left_ < bytes) {
    left_ = 0;  // what is left serves nobody
    return false;
  }
  if (from.rate > 0) {
    from.fill(now);
    if (from.level < 1) return false;
    from.level -= static_cast<double>(bytes);
  }
  if (left_ != kNoLimit) left_ -= bytes;
  return true;
}

Nanos Throttle::when(Direction direction) const {
  const Bucket& of = buckets_[static_cast<std::size_t>(direction)];
  if (of.rate <= 0) return of.at;
  // A quarter of a bucket: not a wake-up a byte.
  const double lacking = std::max(of.capacity() / 4, 1.0) - of.level;
  if (lacking <= 0) return of.at;
  return of.at + static_cast<Nanos>(std::ceil(lacking / of.rate * kSecond));
}

}  // namespace sbx::egress
