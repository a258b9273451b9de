// The calendar in UTC without the C library's time zones: gmtime_r(3) reads /etc/localtime too.
#pragma once

#include <chrono>

namespace sbx {

struct UtcTime {
  int year;                      ///< from 1970 on, four digits until 9999
  unsigned month, day;           ///< from 1
  int hour, minute, second, ms;  ///< leap seconds do not exist (POSIX time)
};

UtcTime utc_time(std::chrono::system_clock::time_point when) noexcept;

}  // namespace sbx
