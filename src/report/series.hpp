// From samples to what is drawn: counters become rates, and thousands of samples at most
// kMostPoints points. What was not measured stays a gap. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "report/report.hpp"

namespace sbx::report {

/// More than a screen shows, and each has a tooltip.
inline constexpr std::size_t kMostPoints = 300;

struct Point {
  double t_ms = 0;
  /// Since the sample before: 100 is one processor all the time.
  std::optional<double> cpu_percent{};
  std::optional<double> memory{};
  std::optional<double> pids{};
  std::optional<double> read_rate{};  ///< bytes a second
  std::optional<double> write_rate{};
};

/// By time; samples that are not later than the one before are left out. Where several make one
/// point, it has the highest of each figure, as peaks are what is looked for.
std::vector<Point> points_of(const std::vector<Sample>& samples);

}  // namespace sbx::report
