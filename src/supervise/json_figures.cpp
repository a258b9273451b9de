#include "supervise/json_figures.hpp"

#include <cmath>
#include <cstdio>

#include "base/utc.hpp"

namespace sbx::supervise {
namespace {

Json to_ms(const std::optional<std::uint64_t>& us) {
  return us ? Json(rounded(static_cast<double>(*us) / 1000)) : Json(nullptr);
}

Json waits(const Pressure& pressure) {
  return object({{"some_us", or_null(pressure.some_us)}, {"full_us", or_null(pressure.full_us)}});
}

}  // namespace

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

double rounded(double ms) { return std::round(ms * 1000) / 1000; }

std::string timestamp(std::chrono::system_clock::time_point when) {
  const UtcTime utc = utc_time(when);
  char text[96];
  (void)std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", utc.year, utc.month,
                      utc.day, utc.hour, utc.minute, utc.second, utc.ms);
  return text;
}

std::optional<std::uint64_t> enforced(const plan::Plan& plan,
                                      const std::optional<std::uint64_t>& limit) {
  return plan.isolation.cgroup == "none" ? std::nullopt : limit;
}

Json cpu_json(const Usage& usage) {
  return object({{"user", to_ms(usage.cpu_user_us)},
                 {"system", to_ms(usage.cpu_system_us)},
                 {"throttled", to_ms(usage.cpu_throttled_us)}});
}

Json io_json(const Usage& usage) {
  return object(
      {{"read_bytes", or_null(usage.io_read)}, {"write_bytes", or_null(usage.io_written)}});
}

Json pressure_json(const Usage& usage) {
  return object({{"cpu", waits(usage.cpu_pressure)},
                 {"memory", waits(usage.memory_pressure)},
                 {"io", waits(usage.io_pressure)}});
}

}  // namespace sbx::supervise
