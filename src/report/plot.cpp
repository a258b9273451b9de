// Text goes by percent in the outer SVG; the lines are in an inner one that is stretched to fit.
#include "report/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "report/figures.hpp"

namespace sbx::report {
namespace {

constexpr double kBox = 1000;
/// A limit that far above all values would press them flat: then only the legend has it.
constexpr double kLimitReach = 8;

std::string coordinate(double share) { return number_text(share * kBox, 1); }
std::string percent(double share) { return number_text(share * 100, 2) + "%"; }

double highest(const Plot& plot) {
  double most = 0;
  for (const Line& line : plot.lines) {
    for (const auto& value : line.values) {
      if (value && std::isfinite(*value)) most = std::max(most, *value);
    }
  }
  return most;
}

bool has_values(const Plot& plot) {
  return std::ranges::any_of(plot.lines, [](const Line& line) {
    return std::ranges::any_of(line.values, [](const auto& value) { return value.has_value(); });
  });
}

/// The limit, where it is drawn.
std::optional<double> shown_limit(const Plot& plot) {
  const double limit = plot.limit.value_or(0);
  if (limit <= 0 || limit > highest(plot) * kLimitReach) return std::nullopt;
  return limit;
}

std::string straight(const char* style, const std::string& x1, const std::string& x2,
                     const std::string& y1, const std::string& y2) {
  std::string out = "<line class=\"";
  out.append(style).append("\" x1=\"").append(x1).append("\" x2=\"").append(x2);
  return out.append("\" y1=\"").append(y1).append("\" y2=\"").append(y2).append("\"/>");
}

std::string across(const char* style, const std::string& y) {
  return straight(style, "0", "100%", y, y);
}

std::string swatch(const std::string& style) {
  return "<svg class=\"swatch\" width=\"22\" height=\"10\" aria-hidden=\"true\"><line class=\"" +
         style + "\" x1=\"0\" x2=\"22\" y1=\"5\" y2=\"5\"/></svg>";
}

std::string legend(const Plot& plot) {
  std::string out;
  for (const Line& line : plot.lines)
    out += "<span class=\"key\">" + swatch("line " + line.style) + line.name + "</span>";
  if (plot.limit) {
    const bool drawn = shown_limit(plot).has_value();
    out += "<span class=\"key\">" + (drawn ? swatch("limit") : std::string()) + "limit " +
           tick_text(*plot.limit, plot.unit) + (drawn ? "" : ", far above this plot") + "</span>";
  }
  return out;
}

std::string value_axis(const Scale& scale, Unit unit) {
  std::string out;
  for (const double tick : scale.ticks()) {
    const std::string y = percent(1 - scale.share(tick));
    out += across("grid", y);
    out += "<text class=\"y\" x=\"0\" dx=\"-8\" y=\"" + y + "\" dy=\"4\">" + tick_text(tick, unit) +
           "</text>";
  }
  return out;
}

std::string time_axis(const Scale& scale, bool written) {
  std::string out;
  for (const double tick : scale.ticks()) {
    const std::string x = percent(scale.share(tick));
    out += straight("grid", x, x, "0", "100%");
    if (!written) continue;
    out += "<text class=\"x\" x=\"" + x + "\" y=\"100%\" dy=\"17\">" +
           tick_text(tick, Unit::milliseconds) + "</text>";
  }
  return out;
}

std::string curves(const Plot& plot, double last_ms, const Scale& scale) {
  std::string out;
  for (const Line& line : plot.lines) {
    if (plot.filled) {
      out += "<path class=\"area " + line.style + "\" d=\"" +
             path_of(plot.times_ms, line.values, last_ms, scale, true) + "\"/>";
    }
    out += "<path class=\"line " + line.style + "\" d=\"" +
           path_of(plot.times_ms, line.values, last_ms, scale, false) + "\"/>";
  }
  return out;
}

/// Over each moment a stripe that reaches half way to its neighbours, to be pointed at.
std::string stripes(const Plot& plot, double last_ms) {
  std::string out;
  const std::size_t count = std::min(plot.tips.size(), plot.times_ms.size());
  double from = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double here = plot.times_ms[i] / last_ms;
    const double to = i + 1 < count ? (here + plot.times_ms[i + 1] / last_ms) / 2 : 1;
    out += "<rect class=\"hit\" x=\"" + coordinate(from) + "\" y=\"0\" width=\"" +
           coordinate(std::max(0.0, to - from)) + "\" height=\"1000\"><title>" + plot.tips[i] +
           "</title></rect>";
    from = to;
  }
  return out;
}

std::string drawing(const Plot& plot) {
  const double most = highest(plot);
  const double last = plot.times_ms.empty() ? 1 : std::max(1.0, plot.times_ms.back());
  const std::optional<double> limit = shown_limit(plot);
  const Scale scale = value_scale(std::max(most, limit.value_or(0)), plot.unit);
  std::string out = "<svg class=\"plot\" role=\"img\" aria-label=\"" + plot.title +
                    " over time, at most " + tick_text(most, plot.unit) + "\">";
  out += value_axis(scale, plot.unit) + time_axis(time_scale(last), plot.last);
  if (limit) out += across("limit", percent(1 - scale.share(*limit)));
  out += "<svg viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\">";
  return out + curves(plot, last, scale) + stripes(plot, last) + "</svg></svg>";
}

}  // namespace

std::string path_of(const std::vector<double>& times_ms,
                    const std::vector<std::optional<double>>& values, double last_ms,
                    const Scale& scale, bool closed) {
  std::string out;
  const std::size_t count = std::min(times_ms.size(), values.size());
  for (std::size_t first = 0; first < count; ++first) {
    if (!values[first]) continue;
    std::size_t end = first;
    while (end < count && values[end]) ++end;
    const auto x = [&](std::size_t i) { return coordinate(times_ms[i] / last_ms); };
    const auto y = [&](std::size_t i) {
      return coordinate(1 - scale.share(values[i].value_or(0)));
    };
    out += "M" + x(first) + "," + (closed ? "1000L" + x(first) + "," : "") + y(first);
    for (std::size_t i = first + 1; i < end; ++i) out += "L" + x(i) + "," + y(i);
    if (end == first + 1 && !closed) out += "h2";
    if (closed) out += "V1000Z";
    first = end;
  }
  return out;
}

std::string figure_of(const Plot& plot) {
  const std::string out = "<figure class=\"chart" + std::string(plot.last ? " last" : "") +
                          "\"><figcaption><b>" + plot.title + "</b>";
  if (!has_values(plot))
    return out + "</figcaption><p class=\"none\">Not measured on this host.</p></figure>\n";
  return out + legend(plot) + "</figcaption>" + drawing(plot) + "</figure>\n";
}

}  // namespace sbx::report
