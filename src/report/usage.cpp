// Four plots over the same time, one below the other, so that what happened together stands
// together.
#include <algorithm>
#include <string_view>

#include "report/figures.hpp"
#include "report/plot.hpp"
#include "report/sections.hpp"
#include "report/series.hpp"

namespace sbx::report {
namespace {

using Points = std::vector<Point>;

std::vector<std::optional<double>> values_of(const Points& points,
                                             std::optional<double> Point::* figure) {
  std::vector<std::optional<double>> out;
  out.reserve(points.size());
  for (const Point& point : points) out.push_back(point.*figure);
  return out;
}

std::string shown(const std::optional<double>& value, Unit unit) {
  return value ? tick_text(*value, unit) : "\u2013";
}

std::string cpu_shown(const std::optional<double>& value) {
  return value ? number_text(*value, 0) + " %" : "\u2013";
}

std::string tip_of(const Point& point) {
  return time_text(point.t_ms) + ": CPU " + cpu_shown(point.cpu_percent) + ", memory " +
         shown(point.memory, Unit::bytes) + ", processes " + shown(point.pids, Unit::count) +
         ", read " + shown(point.read_rate, Unit::bytes_per_second) + ", written " +
         shown(point.write_rate, Unit::bytes_per_second);
}

std::optional<double> as_double(const std::optional<std::uint64_t>& count) {
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

std::vector<Plot> plots_of(const Points& points, const Report& report, const Facts& facts) {
  std::vector<double> times;
  std::vector<std::string> tips;
  for (const Point& point : points) {
    times.push_back(point.t_ms);
    tips.push_back(tip_of(point));
  }
  const auto line = [&](const char* name, const char* style, std::optional<double> Point::* of) {
    return Line{name, style, values_of(points, of)};
  };
  std::optional<double> cpus = report.limits.cpus;
  if (cpus) *cpus *= 100;
  std::vector<Plot> out{
      {.title = "CPU",
       .unit = Unit::percent,
       .lines = {line("100 % is one processor", "cpu", &Point::cpu_percent)},
       .limit = cpus,
       .filled = true},
      {.title = "Memory",
       .unit = Unit::bytes,
       .lines = {line("in use", "memory", &Point::memory)},
       .limit = as_double(facts.memory_limit),
       .filled = true},
      {.title = "Processes",
       .unit = Unit::count,
       .lines = {line("processes and threads", "pids", &Point::pids)},
       .limit = as_double(report.limits.pids)},
      {.title = "Disk",
       .unit = Unit::bytes_per_second,
       .lines = {line("read", "read", &Point::read_rate),
                 line("written", "write", &Point::write_rate)}},
  };
  for (Plot& plot : out) {
    plot.times_ms = times;
    plot.tips = tips;
    plot.last = false;
  }
  out.back().last = true;
  return out;
}

std::string row_of(const Point& point) {
  const auto cell = [](const std::string& value) { return "<td class=\"n\">" + value + "</td>"; };
  return "<tr><th scope=\"row\" class=\"n\">" + time_text(point.t_ms) + "</th>" +
         cell(cpu_shown(point.cpu_percent)) + cell(shown(point.memory, Unit::bytes)) +
         cell(shown(point.pids, Unit::count)) +
         cell(shown(point.read_rate, Unit::bytes_per_second)) +
         cell(shown(point.write_rate, Unit::bytes_per_second)) + "</tr>\n";
}

/// The same for who cannot see plots.
std::string table_of(const Points& points) {
  std::string out =
      "<details><summary>The same as a table</summary>\n<div class=\"box table\" tabindex=\"0\" "
      "role=\"region\" aria-label=\"Use over time\"><table class=\"data\">\n<thead><tr>";
  for (const std::string_view name : {"Time", "CPU", "Memory", "Processes", "Read", "Written"})
    out += "<th scope=\"col\" class=\"n\">" + std::string(name) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const Point& point : points) out += row_of(point);
  return out + "</tbody></table></div></details>\n";
}

std::string section(const std::string& body) {
  return "<section id=\"use\" aria-labelledby=\"use-title\"><h2 id=\"use-title\">Use over "
         "time</h2>\n" +
         body + "</section>\n";
}

}  // namespace

std::string usage_of(const Report& report, const Facts& facts) {
  const Points points = points_of(report.samples);
  if (points.empty())
    return section(
        "<p class=\"note\">No samples of this run were kept, so there is no plot.</p>\n");
  if (points.size() == 1) {
    const Point& only = points.front();
    return section("<p class=\"note\">One sample only, too few for a plot: at " +
                   time_text(only.t_ms) + ", memory " + shown(only.memory, Unit::bytes) +
                   ", processes " + shown(only.pids, Unit::count) + ".</p>\n");
  }
  std::string body;
  for (const Plot& plot : plots_of(points, report, facts)) body += figure_of(plot);
  return section(body + table_of(points));
}

}  // namespace sbx::report
