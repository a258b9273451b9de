// Nothing but arithmetic on doubles; what is not finite or not positive counts as 0.
#include "report/scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "report/figures.hpp"

namespace sbx::report {
namespace {

constexpr double kSteps = 4;

/// The smallest of 1, 2, 5 times a power of ten at or above `least`.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (power * factor >= least * (1 - 1e-9)) return power * factor;
  }
  return power * 10;
}

double step_for(double least, Unit unit) {
  switch (unit) {
    case Unit::bytes:
    case Unit::bytes_per_second:
      return std::max(1.0, std::exp2(std::ceil(std::log2(least) - 1e-9)));
    case Unit::count:
      return std::max(1.0, round_step(least));
    case Unit::percent:
    case Unit::milliseconds:
      break;
  }
  return round_step(least);
}

/// As clocks count.
double time_step(double least) {
  constexpr double kSecond = 1000;
  constexpr double kMinute = 60 * kSecond;
  constexpr double kHour = 60 * kMinute;
  constexpr std::array kNice{15 * kSecond, 30 * kSecond, kMinute,      2 * kMinute, 5 * kMinute,
                             10 * kMinute, 15 * kMinute, 30 * kMinute, kHour,       2 * kHour,
                             3 * kHour,    6 * kHour,    12 * kHour};
  if (least <= 10 * kSecond) return round_step(least);
  for (const double step : kNice) {
    if (step >= least) return step;
  }
  return 24 * kHour * round_step(least / (24 * kHour));
}

double usable(double value) { return std::isfinite(value) && value > 0 ? value : 0; }

}  // namespace

double Scale::share(double value) const { return std::clamp(usable(value) / top, 0.0, 1.0); }

std::vector<double> Scale::ticks() const {
  std::vector<double> out;
  constexpr int kMost = 12;  // no scale of ours has as many
  for (int i = 0; i <= kMost; ++i) {
    const double value = step * i;
    if (value > top * (1 + 1e-9)) break;
    out.push_back(value);
  }
  return out;
}

Scale value_scale(double most, Unit unit) {
  most = usable(most);
  if (most < 1e-9) return {.top = 1, .step = 1};
  const double step = step_for(most / kSteps, unit);
  return {.top = step * std::ceil(most / step - 1e-9), .step = step};
}

Scale time_scale(double last_ms) {
  last_ms = std::max(usable(last_ms), 1.0);
  return {.top = last_ms, .step = std::max(1.0, time_step(last_ms / (kSteps + 2)))};
}

std::string tick_text(double value, Unit unit) {
  switch (unit) {
    case Unit::percent:
      return value == 0 ? "0" : number_text(value, 2) + " %";
    case Unit::bytes:
      return value == 0 ? "0" : bytes_text(value);
    case Unit::bytes_per_second:
      return value == 0 ? "0" : bytes_text(value) + "/s";
    case Unit::count:
      return value < 1e15 ? count_text(static_cast<std::uint64_t>(usable(value)))
                          : number_text(value, 0);
    case Unit::milliseconds:
      return value == 0 ? "0" : time_text(value);
  }
  return {};
}

}  // namespace sbx::report
