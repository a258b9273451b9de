// Rounded for reading; the result object has the exact ones.
#include "report/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace sbx::report {
namespace {

/// How many decimals make three significant digits.
int decimals_of(double value) { return value < 10 ? 2 : value < 100 ? 1 : 0; }

std::string two(std::uint64_t large, const char* unit, std::uint64_t small, const char* smaller) {
  std::string out = count_text(large) + unit;
  if (small > 0) out += " " + std::to_string(small) + smaller;
  return out;
}

}  // namespace

std::string number_text(double value, int decimals) {
  if (!std::isfinite(value)) return "?";
  std::array<char, 400> out{};  // the largest double has 309 digits
  (void)std::snprintf(out.data(), out.size(), "%.*f", decimals, value);
  std::string shown = out.data();
  if (shown.find('.') != std::string::npos) {
    shown.erase(shown.find_last_not_of('0') + 1);
    if (shown.back() == '.') shown.pop_back();
  }
  return shown == "-0" ? "0" : shown;
}

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = std::isfinite(bytes) ? std::max(bytes, 0.0) : 0;
  std::size_t unit = 0;
  // 1023.95 KiB would read as 1024 KiB.
  while (value >= (unit == 0 ? 1024 : 1023.5) && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return number_text(value, unit == 0 ? 0 : decimals_of(value)) + " " + kUnits.at(unit);
}

std::string bytes_text(std::uint64_t bytes) { return bytes_text(static_cast<double>(bytes)); }

std::string time_text(double ms) {
  if (!std::isfinite(ms) || ms < 0) return "?";
  if (ms < 999.5) return number_text(ms, decimals_of(ms)) + " ms";
  if (ms < 59'950) return number_text(ms / 1000, decimals_of(ms / 1000)) + " s";
  // Past 300,000 years the exact number does not matter.
  const auto s = static_cast<std::uint64_t>(std::round(std::min(ms, 1e16) / 1000));
  if (s < 3600) return two(s / 60, " min", s % 60, " s");
  if (s < 86'400) return two(s / 3600, " h", s % 3600 / 60, " min");
  return two(s / 86'400, " d", s % 86'400 / 3600, " h");
}

std::string count_text(std::uint64_t count) {
  std::string out = std::to_string(count);
  for (std::size_t at = out.size(); at > 3;) {
    at -= 3;
    out.insert(at, ",");
  }
  return out;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  std::string out = count_text(count);
  out += ' ';
  out += noun;
  if (count != 1) out += 's';
  return out;
}

}  // namespace sbx::report
