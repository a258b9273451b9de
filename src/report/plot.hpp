// One plot over time as an inline SVG: axes with units, lines with gaps, a dashed limit, a tooltip
// for each moment. It has no width of its own: positions are shares of whatever the page gives it,
// so that letters stay as large as letters are. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/scale.hpp"

namespace sbx::report {

struct Line {
  std::string name{};                           ///< in the legend; HTML
  std::string style{};                          ///< its class in the stylesheet
  std::vector<std::optional<double>> values{};  ///< one for each time
};

struct Plot {
  std::string title{};  ///< HTML
  Unit unit = Unit::count;
  std::vector<double> times_ms{};  ///< rising
  std::vector<Line> lines{};
  std::optional<double> limit{};
  std::vector<std::string> tips{};  ///< one for each time; HTML
  bool filled = false;              ///< the area below the line too
  bool last = true;                 ///< has the times written below it
};

/// A <figure>; a sentence instead of a plot where no line has a value.
std::string figure_of(const Plot& plot);

/// The points of one line in a box of 1000 by 1000, y down, as pieces without a gap: "M0,10L5,20".
/// A lone point is a short dash. `closed`: each goes down to the axis and back, for the area below.
std::string path_of(const std::vector<double>& times_ms,
                    const std::vector<std::optional<double>>& values, double last_ms,
                    const Scale& scale, bool closed);

}  // namespace sbx::report
