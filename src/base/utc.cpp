#include "base/utc.hpp"

namespace sbx {

UtcTime utc_time(std::chrono::system_clock::time_point when) noexcept {
  const auto days = std::chrono::floor<std::chrono::days>(when);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::milliseconds>(when - days));
  return {.year = static_cast<int>(date.year()),
          .month = static_cast<unsigned>(date.month()),
          .day = static_cast<unsigned>(date.day()),
          .hour = static_cast<int>(clock.hours().count()),
          .minute = static_cast<int>(clock.minutes().count()),
          .second = static_cast<int>(clock.seconds().count()),
          .ms = static_cast<int>(clock.subseconds().count())};
}

}  // namespace sbx
