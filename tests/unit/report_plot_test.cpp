// Plots: scales, rates, gaps, ranges of nothing, values without measure.
#include "report/plot.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "report/series.hpp"

using namespace sbx::report;

namespace {

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t times = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + word.size()))
    ++times;
  return times;
}

Plot memory(std::vector<std::optional<double>> values, std::optional<double> limit = {}) {
  Plot plot{.title = "Memory", .unit = Unit::bytes, .limit = limit};
  for (std::size_t i = 0; i < values.size(); ++i) {
    plot.times_ms.push_back(static_cast<double>(i) * 100);
    plot.tips.push_back("tip " + std::to_string(i));
  }
  plot.lines.push_back({"in use", "memory", std::move(values)});
  return plot;
}

}  // namespace

TEST_CASE("a scale ends at a round number at or above the largest value") {
  for (const Unit unit : {Unit::percent, Unit::bytes, Unit::count, Unit::milliseconds}) {
    for (double most = 1e-6; most < 1e18; most *= 1.7) {
      const Scale scale = value_scale(most, unit);
      CAPTURE(most);
      CHECK(scale.top >= most * (1 - 1e-9));
      CHECK(scale.ticks().size() >= 2);
      CHECK(scale.ticks().size() <= 6);
      CHECK(scale.ticks().front() == 0);
      CHECK(scale.ticks().back() == doctest::Approx(scale.top));
      CHECK(scale.share(most) <= 1);
    }
  }
  CHECK(value_scale(512.0 * 1024 * 1024, Unit::bytes).top == 512.0 * 1024 * 1024);
  CHECK(value_scale(3, Unit::count).step == 1);
  CHECK(value_scale(130, Unit::percent).top == 150);
}

TEST_CASE("nothing, infinity and no number are no reason to divide by zero") {
  for (const double odd :
       {0.0, -5.0, std::numeric_limits<double>::infinity(), std::nan(""), 1e-320}) {
    const Scale scale = value_scale(odd, Unit::percent);
    CHECK(scale.top > 0);
    CHECK(std::isfinite(scale.share(odd)));
    CHECK(time_scale(odd).top >= 1);
  }
  CHECK(std::isfinite(value_scale(1e300, Unit::bytes).top));
  CHECK(Scale{.top = 10, .step = 5}.share(-1) == 0);
  CHECK(Scale{.top = 10, .step = 5}.share(99) == 1);
}

TEST_CASE("time goes by seconds, minutes and hours") {
  CHECK(time_scale(2800).step == 500);
  CHECK(time_scale(60'000).step == 10'000);
  CHECK(time_scale(600'000).step == 120'000);
  CHECK(time_scale(86'400'000).step == 6 * 3'600'000);
  for (double last = 1; last < 1e13; last *= 3) CHECK(time_scale(last).ticks().size() <= 8);
  CHECK(tick_text(0, Unit::milliseconds) == "0");
  CHECK(tick_text(120'000, Unit::milliseconds) == "2 min");
}

TEST_CASE("counters become rates, and what is missing a gap") {
  const std::vector<Sample> samples{{.t_ms = 0, .cpu_ms = 0, .read_bytes = 0},
                                    {.t_ms = 100, .cpu_ms = 150, .read_bytes = 1000},
                                    {.t_ms = 200},
                                    {.t_ms = 300, .cpu_ms = 200},
                                    {.t_ms = 300, .cpu_ms = 999},
                                    {.t_ms = 250, .cpu_ms = 999},
                                    {.t_ms = 400, .cpu_ms = 100},
                                    {.t_ms = 500, .cpu_ms = 125}};
  const auto points = points_of(samples);
  REQUIRE(points.size() == 6);
  CHECK_FALSE(points[0].cpu_percent);
  CHECK(points[1].cpu_percent == 150);
  CHECK(points[1].read_rate == 10'000);
  CHECK_FALSE(points[2].cpu_percent);
  CHECK_FALSE(points[3].cpu_percent);
  CHECK_FALSE(points[4].cpu_percent);  // it fell
  CHECK(points[5].cpu_percent == 25);
  CHECK_FALSE(points[5].memory);
}

TEST_CASE("many samples become few points that keep the peaks") {
  std::vector<Sample> samples;
  for (std::uint64_t i = 0; i < 100'000; ++i)
    samples.push_back({.t_ms = i, .memory_bytes = i == 77'777 ? 900 : 5});
  const auto points = points_of(samples);
  CHECK(points.size() <= kMostPoints);
  CHECK(points.size() > kMostPoints / 2);
  double most = 0;
  for (const Point& point : points) most = std::max(most, point.memory.value_or(0));
  CHECK(most == 900);
  CHECK(points_of({}).empty());
}

TEST_CASE("a path breaks at gaps, and a lone point is a dash") {
  const Scale scale{.top = 10, .step = 5};
  const std::vector<double> times{0, 25, 50, 75, 100};
  CHECK(path_of(times, {0, 5, {}, 10, 5}, 100, scale, false) == "M0,1000L250,500M750,0L1000,500");
  CHECK(path_of(times, {{}, 5, {}, {}, {}}, 100, scale, false) == "M250,500h2");
  CHECK(path_of(times, {0, 5, {}, {}, {}}, 100, scale, true) == "M0,1000L0,1000L250,500V1000Z");
  CHECK(path_of(times, {}, 100, scale, false).empty());
}

TEST_CASE("a plot has axes with units, a tooltip for each moment, a limit") {
  const double mib = 1024 * 1024;
  const std::string svg = figure_of(memory({10 * mib, 20 * mib, 30 * mib}, 64 * mib));
  CHECK(count(svg, "<title>") == 3);
  CHECK(svg.find("<title>tip 2</title>") != std::string::npos);
  CHECK(svg.find(">64 MiB</text>") != std::string::npos);
  CHECK(svg.find(">200 ms</text>") != std::string::npos);
  CHECK(svg.find("<line class=\"limit\" x1=\"0\" x2=\"100%\" y1=\"0%\"") != std::string::npos);
  CHECK(svg.find("aria-label=\"Memory over time, at most 30 MiB\"") != std::string::npos);
}

TEST_CASE("a limit far above is told and does not flatten the plot") {
  const std::string svg = figure_of(memory({1000, 2000, 1500}, 1e12));
  CHECK(svg.find("far above this plot") != std::string::npos);
  CHECK(svg.find("class=\"limit\"") == std::string::npos);
}

TEST_CASE("a figure that nobody measured is a sentence") {
  const std::string html = figure_of(memory({{}, {}, {}}));
  CHECK(html.find("Not measured") != std::string::npos);
  CHECK(html.find("<svg class=\"plot\"") == std::string::npos);
  CHECK(figure_of(memory({0, 0, 0})).find("nan") == std::string::npos);
}
