// The table of `sbx run --timing`.
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "cli/timing_text.hpp"

using sbx::cli::timing_text;
using sbx::supervise::Timing;

namespace {

Timing four_rows() {
  Timing timing{.total = 12'500'000, .exec = 9'000'000, .command = 2'000'000};
  timing.rows = {
      {.process = "supervisor", .kind = "profile", .text = "load it", .took = 103'400},
      {.process = "init", .step = 9, .kind = "a", .text = "nine", .start = 1'000'000, .took = 600},
      {.process = "payload",
       .step = 112,
       .kind = "await_root",
       .text = "wait",
       .start = 1'500'000,
       .took = 10'000'000,
       .waits = true},
      {.process = "init", .step = 10, .kind = "b", .text = "ten", .start = 10'000'000, .took = 0}};
  return timing;
}

}  // namespace

TEST_CASE("figures stand below each other") {
  CHECK(
      timing_text(four_rows(), "r1", 0) ==
      "sbx: timing of r1: ms since the start, us taken; * the five dearest that do not just wait\n"
      "    MS     US     PROCESS     STEP  WHAT\n"
      " 0.000    103  *  supervisor     -  load it\n"
      " 1.000      1  *  init           9  nine\n"
      " 1.500  10000     payload      112  wait\n"
      "10.000      0  *  init          10  ten\n"
      "to the exec 9.000 ms, the command 2.000 ms, after its end 1.500 ms; in all 12.500 ms\n");
}

TEST_CASE("five are marked, and no wait") {
  Timing timing;
  for (sbx::supervise::Nanos i = 0; i < 20; ++i)
    timing.rows.push_back({.process = "init",
                           .step = static_cast<std::size_t>(i) + 1,
                           .kind = "k",
                           .text = "t",
                           .start = i * 1000,
                           .took = (i * 7 % 20) * 1000,
                           .waits = i == 17});  // the dearest: 19
  const std::string text = timing_text(timing, "r", 0);
  CHECK(std::ranges::count(text, '*') == 1 + 5);
  for (const char* marked : {"18  *", "17  *", "16  *", "15  *", "14  *"})
    CHECK(text.find(marked) != std::string::npos);
}

TEST_CASE("what failed and what was cut off is said") {
  Timing timing = four_rows();
  timing.exec.reset();
  timing.command.reset();
  timing.rows[1].error = EPERM;
  timing.rows[2].took.reset();
  timing.rows[3].text = "\x1b[31m";
  const std::string text = timing_text(timing, "r1", 0);
  CHECK(text.find("nine: failed (EPERM)\n") != std::string::npos);
  CHECK(text.find(" 1.500    -     payload      112  wait: cut off\n") != std::string::npos);
  CHECK(text.find("\nno exec; in all 12.500 ms\n") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("a terminal's width cuts rows, not the sum") {
  const std::string text = timing_text(four_rows(), "r1", 40);
  CHECK(text.find("supervisor     -\n") == std::string::npos);
  CHECK(text.find(" 0.000    103  *  supervisor     -  load\n") != std::string::npos);
  CHECK(text.ends_with("in all 12.500 ms\n"));
}
