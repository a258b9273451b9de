// The axis of a plot: from 0 to a round number at or above the largest value, in few equal steps.
// Pure.
#pragma once

#include <string>
#include <vector>

namespace sbx::report {

enum class Unit { percent, bytes, bytes_per_second, count, milliseconds };

struct Scale {
  double top = 1;   ///< never 0
  double step = 1;  ///< from line to line

  /// Where `value` lies: 0 at the bottom, 1 at the top; never outside.
  [[nodiscard]] double share(double value) const;
  /// 0, step, ... up to the top.
  [[nodiscard]] std::vector<double> ticks() const;
};

/// For values up to `most`: three to five steps. Bytes go by powers of two, time by seconds and
/// minutes, processes by whole ones.
Scale value_scale(double most, Unit unit);

/// The same for time, which ends where the data does: the last line may be below the top.
Scale time_scale(double last_ms);

/// "512 MiB", "80 %", "12"; without a unit where 0 needs none.
std::string tick_text(double value, Unit unit);

}  // namespace sbx::report
