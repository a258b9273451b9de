// How much memory there is, of the host and below the groups that we are in.
#include <doctest/doctest.h>

#include "os/memory_room.hpp"

using namespace sbx::os;

TEST_CASE("the host's memory is read by name") {
  const MemoryRoom room = parse_meminfo(
      "MemTotal:       24683240 kB\nMemFree:   1 kB\nMemAvailable:   23733076 kB\nMemAvailableX: 3 "
      "kB\n");
  CHECK(room.total == 24683240ULL * 1024);
  CHECK(room.available == 23733076ULL * 1024);
  CHECK(parse_meminfo("").total == 0);
}

TEST_CASE("a group leaves its limit less what it really holds") {
  const MemoryRoom host{.total = 1000, .available = 900};
  const auto check = [&](std::uint64_t limit, std::uint64_t used, std::uint64_t cached,
                         std::uint64_t total, std::uint64_t available) {
    const MemoryRoom room = within(host, limit, used, cached);
    CHECK(room.total == total);
    CHECK(room.available == available);
  };
  check(500, 300, 100, 500, 300);
  check(500, 300, 400, 500, 500);  // more cached than used: two files were read one after the other
  check(500, 600, 0, 500, 0);
  check(9223372036854771712ULL, 300, 0, 1000, 900);
}
