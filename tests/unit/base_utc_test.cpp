// The calendar's edges; the zone of the host plays no part.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/utc.hpp"

namespace {

std::string utc_of(long long ms) {
  const auto when = std::chrono::system_clock::time_point(std::chrono::milliseconds(ms));
  const sbx::UtcTime at = sbx::utc_time(when);
  char text[96];
  (void)std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03d", at.year, at.month,
                      at.day, at.hour, at.minute, at.second, at.ms);
  return text;
}

}  // namespace

TEST_CASE("utc_time: the first moment, leap days, the last moment of a year") {
  CHECK(utc_of(0) == "1970-01-01T00:00:00.000");
  CHECK(utc_of(951'827'696'789) == "2000-02-29T12:34:56.789");
  CHECK(utc_of(1'798'761'599'999) == "2026-12-31T23:59:59.999");
  CHECK(utc_of(4'107'542'400'000) == "2100-03-01T00:00:00.000");  // 2100 has no leap day
}

TEST_CASE("utc_time: TZ changes nothing") {
  REQUIRE(::setenv("TZ", "Asia/Kolkata", 1) == 0);
  CHECK(utc_of(86'400'000) == "1970-01-02T00:00:00.000");
  REQUIRE(::unsetenv("TZ") == 0);
}
