// The progress line fits its terminal, and the summary counts everything once.
#include <doctest/doctest.h>

#include "cli/batch/progress.hpp"

using namespace sbx::cli::batch;
using sbx::supervise::Status;
using std::chrono::milliseconds;

namespace {

Tally tally() {
  Tally tally;
  tally.total = 2000;
  tally.live = 2;
  tally.by_status[static_cast<std::size_t>(Status::ok)] = 490;
  tally.by_status[static_cast<std::size_t>(Status::timeout)] = 10;
  tally.elapsed = milliseconds(10'000);
  return tally;
}

}  // namespace

TEST_CASE("a line says how far it is, how fast, and how long it takes") {
  CHECK(progress_line(tally(), 100) ==
        "[=======>                      ] 500/2000  10 not ok  2 live  50.0/s  ETA 30.0s");
  CHECK(progress_line(tally(), 60) ==
        "[==>        ] 500/2000  10 not ok  2 live  50.0/s  ETA 30.0s");
  CHECK(progress_line(tally(), 40) == "500/2000  10 not ok  2 live  50.0/s  ETA");
  for (std::size_t width = 0; width < 200; ++width)
    CHECK(progress_line(tally(), width).size() <= width);
}

TEST_CASE("the rate is of what ran now, and nothing is divided by nothing") {
  Tally resumed = tally();
  resumed.before = 400;
  CHECK(progress_line(resumed, 100).find(" 10.0/s ") != std::string::npos);
  CHECK(progress_line(Tally{}, 100) == "[==============================] 0/0  0 live  0.0/s");
}

TEST_CASE("a summary has every status that came, and what is left") {
  Tally end = tally();
  end.cpu = milliseconds(15'000);
  end.slowest_took = milliseconds(1200);
  CHECK(summary_text(end, "a\x1b[31m", "out.jsonl") ==
        "2000 jobs: 490 ok, 10 timeout, 1500 left\n"
        "10.0s, 50.0 jobs/s, CPU 15.0s; slowest: $'a\\x1b[31m', 1.2s\n"
        "results: out.jsonl\n");
  Tally one;
  one.total = 1;
  one.before = 1;
  one.by_status[0] = 1;
  CHECK(summary_text(one, "", "") ==
        "1 job: 1 ok (1 of them before)\n0.0s, 0.0 jobs/s, CPU 0.0s\n");
}
