// A counter that falls or is no number gives no rate.
#include "report/series.hpp"

#include <algorithm>
#include <cmath>

namespace sbx::report {
namespace {

using Value = std::optional<double>;

Value number(const std::optional<std::uint64_t>& count) {
  return count ? Value(static_cast<double>(*count)) : std::nullopt;
}

/// By how much a counter rose per millisecond.
Value rate(const Value& before, const Value& now, double ms) {
  if (!before || !now || !std::isfinite(*before) || !std::isfinite(*now) || *now < *before)
    return std::nullopt;
  return (*now - *before) / ms;
}

Value scaled(Value value, double factor) {
  if (value) *value *= factor;
  return value;
}

Point point_of(const Sample* before, const Sample& now) {
  Point out{.t_ms = static_cast<double>(now.t_ms),
            .memory = number(now.memory_bytes),
            .pids = number(now.pids)};
  if (before == nullptr) return out;
  const double ms = static_cast<double>(now.t_ms - before->t_ms);
  out.cpu_percent = scaled(rate(before->cpu_ms, now.cpu_ms, ms), 100);
  out.read_rate = scaled(rate(number(before->read_bytes), number(now.read_bytes), ms), 1000);
  out.write_rate = scaled(rate(number(before->write_bytes), number(now.write_bytes), ms), 1000);
  return out;
}

void keep_higher(Value& kept, const Value& other) {
  if (!kept || (other && *other > *kept)) kept = other;
}

void keep_higher(Point& kept, const Point& other) {
  kept.t_ms = other.t_ms;
  keep_higher(kept.cpu_percent, other.cpu_percent);
  keep_higher(kept.memory, other.memory);
  keep_higher(kept.pids, other.pids);
  keep_higher(kept.read_rate, other.read_rate);
  keep_higher(kept.write_rate, other.write_rate);
}

}  // namespace

std::vector<Point> points_of(const std::vector<Sample>& samples) {
  std::vector<Point> all;
  const Sample* before = nullptr;
  for (const Sample& sample : samples) {
    if (before != nullptr && sample.t_ms <= before->t_ms) continue;
    all.push_back(point_of(before, sample));
    before = &sample;
  }
  const std::size_t each = (all.size() + kMostPoints - 1) / kMostPoints;
  if (each <= 1) return all;
  std::vector<Point> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % each == 0) {
      out.push_back(all[i]);
    } else {
      keep_higher(out.back(), all[i]);
    }
  }
  return out;
}

}  // namespace sbx::report
