// Tables and figures as people read them.
#include <doctest/doctest.h>

#include "cli/table.hpp"

using namespace sbx::cli;
using std::chrono::milliseconds;

TEST_CASE("sizes have at most three digits and a unit") {
  CHECK(short_bytes(std::nullopt) == "-");
  CHECK(short_bytes(0) == "0B");
  CHECK(short_bytes(999) == "999B");
  CHECK(short_bytes(1024) == "1.0K");
  CHECK(short_bytes(1023) == "1.0K");
  CHECK(short_bytes(10 * 1024) == "10K");
  CHECK(short_bytes(512U << 20U) == "512M");
  CHECK(short_bytes((1U << 30U) * 3ULL / 2) == "1.5G");
  CHECK(short_bytes(~0ULL) == "16E");
}

TEST_CASE("durations have two units at most") {
  CHECK(short_duration(milliseconds(0)) == "0.0s");
  CHECK(short_duration(milliseconds(59'990)) == "59.9s");
  CHECK(short_duration(milliseconds(61'000)) == "1m01s");
  CHECK(short_duration(milliseconds(3'725'000)) == "1h02m");
}

TEST_CASE("columns stand below each other, and the last one ends with the terminal") {
  Table table({"NAME", "WHAT"});
  table.add({"é", "first"});
  table.add({"longer", "é second"});
  CHECK(table.text(0) == "NAME    WHAT\né       first\nlonger  é second\n");
  CHECK(table.text(13) == "NAME    WHAT\né       first\nlonger  é sec\n");
  // A path that is not shown could not be asked for: such lines go on in the next one.
  CHECK(table.text(12) == "NAME    WHAT\né       firs\nlonger  é se\n");
  CHECK(table.text(7) == "NAME    WHAT\né       first\nlonger  é seco\n");
  CHECK(table.text(1) == table.text(12));
}
